import { MAX_FOUND } from '../../../../features/contacts/groups/add-found.js';
import { DoneData } from '../../answers.js';
import {
  CreateGroupBody,
  FoundBody,
  GroupEntry,
  GroupListQuery,
  MembersBody,
  MembersData,
  UpdateGroupBody,
} from './groups-schemas.js';
import { ChannelPath, ChannelThingPath } from '../paths.js';
import type { Contract } from '../contract.js';

const members = {
  needs: 'developer',
  of: 'account',
  description: 'All or none: an unknown contact is 404, and nothing is changed.',
  params: ChannelThingPath,
  body: MembersBody,
  data: MembersData,
} as const;

export const GROUPS = {
  'GET /accounts/:accountId/channels/:channelId/groups': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListGroups',
    summary: 'List the groups of a channel, the newest first',
    params: ChannelPath,
    query: GroupListQuery,
    entry: GroupEntry,
  },
  'POST /accounts/:accountId/channels/:channelId/groups': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleCreateGroup',
    summary: 'Make a group',
    params: ChannelPath,
    body: CreateGroupBody,
    data: GroupEntry,
    errors: [409],
  },
  'GET /accounts/:accountId/channels/:channelId/groups/:id': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleGetGroup',
    summary: 'Show a group',
    params: ChannelThingPath,
    data: GroupEntry,
  },
  'PUT /accounts/:accountId/channels/:channelId/groups/:id': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleUpdateGroup',
    summary: 'Change the name or the description of a group',
    params: ChannelThingPath,
    body: UpdateGroupBody,
    data: GroupEntry,
    errors: [409],
  },
  'DELETE /accounts/:accountId/channels/:channelId/groups/:id': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleDeleteGroup',
    summary: 'Delete a group; its contacts stay',
    params: ChannelThingPath,
    data: DoneData,
  },
  'POST /accounts/:accountId/channels/:channelId/groups/:id/add-found': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleAddFoundToGroup',
    summary: 'Add all contacts that a search finds to a group',
    description: `At most ${MAX_FOUND} at once, those that it finds by now.`,
    params: ChannelThingPath,
    body: FoundBody,
    data: MembersData,
  },
  'POST /accounts/:accountId/channels/:channelId/groups/:id/add': {
    ...members,
    operationId: 'consoleAddToGroup',
    summary: 'Add contacts to a group',
  },
  'POST /accounts/:accountId/channels/:channelId/groups/:id/remove': {
    ...members,
    operationId: 'consoleRemoveFromGroup',
    summary: 'Remove contacts from a group',
  },
} satisfies Contract;
