import { MAX_MATCHES } from '../../../../features/contacts/groups/add-found.js';
import { DoneData } from '../../answers.js';
import type { Contract } from '../contract.js';
import { ChannelPath, ChannelResourcePath } from '../paths.js';
import {
  CreateGroupBody,
  FoundBody,
  GroupEntry,
  GroupListQuery,
  MembersBody,
  MembersData,
  UpdateGroupBody,
} from './groups-schemas.js';

const members = {
  needs: 'developer',
  roleScope: 'account',
  description: 'All or nothing: if a contact does not exist, the response is 404 and nothing is changed.',
  params: ChannelResourcePath,
  body: MembersBody,
  data: MembersData,
} as const;

export const GROUPS = {
  'GET /accounts/:accountId/channels/:channelId/groups': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListGroups',
    summary: 'List the groups of a channel, newest first',
    params: ChannelPath,
    query: GroupListQuery,
    entry: GroupEntry,
  },
  'POST /accounts/:accountId/channels/:channelId/groups': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleCreateGroup',
    summary: 'Create a group',
    params: ChannelPath,
    body: CreateGroupBody,
    data: GroupEntry,
    errors: [409],
  },
  'GET /accounts/:accountId/channels/:channelId/groups/:id': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetGroup',
    summary: 'Show a group',
    params: ChannelResourcePath,
    data: GroupEntry,
  },
  'PUT /accounts/:accountId/channels/:channelId/groups/:id': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleUpdateGroup',
    summary: 'Change the name or the description of a group',
    params: ChannelResourcePath,
    body: UpdateGroupBody,
    data: GroupEntry,
    errors: [409],
  },
  'DELETE /accounts/:accountId/channels/:channelId/groups/:id': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleDeleteGroup',
    summary: 'Delete a group, but not its contacts',
    description: '409 if an audience uses the group.',
    params: ChannelResourcePath,
    data: DoneData,
    errors: [409],
  },
  'POST /accounts/:accountId/channels/:channelId/groups/:id/add-found': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleAddFoundToGroup',
    summary: 'Add all contacts that match a search to a group',
    description: `At most ${MAX_MATCHES} at once, out of the current matches.`,
    params: ChannelResourcePath,
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
