import { Type } from '@sinclair/typebox';
import { ContactIds } from '../../../http/ids.js';
import { DoneData } from '../../answers.js';
import {
  ContactData,
  ContactEntry,
  ContactListQuery,
  ContactTotals,
  CreateContactBody,
  DeletedContacts,
  UpdateContactBody,
} from './contacts-schemas.js';
import { ChannelPath, ChannelThingPath } from '../paths.js';
import type { Contract } from '../contract.js';

export const CONTACTS = {
  'GET /accounts/:accountId/channels/:channelId/contacts': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListContacts',
    summary: 'List or search the contacts of a channel, the newest first',
    params: ChannelPath,
    query: ContactListQuery,
    entry: ContactEntry,
    more: ContactTotals,
  },
  'POST /accounts/:accountId/channels/:channelId/contacts': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleCreateContact',
    summary: 'Make a contact',
    params: ChannelPath,
    body: CreateContactBody,
    data: ContactData,
    errors: [409],
  },
  'GET /accounts/:accountId/channels/:channelId/contacts/:id': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleGetContact',
    summary: 'Show a contact and its groups',
    params: ChannelThingPath,
    data: ContactData,
  },
  'PUT /accounts/:accountId/channels/:channelId/contacts/:id': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleUpdateContact',
    summary: 'Change a contact, or whether it wants messages',
    params: ChannelThingPath,
    body: UpdateContactBody,
    data: ContactData,
  },
  'DELETE /accounts/:accountId/channels/:channelId/contacts/:id': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleDeleteContact',
    summary: 'Delete a contact for good',
    params: ChannelThingPath,
    data: DoneData,
  },
  'POST /accounts/:accountId/channels/:channelId/contacts/bulk-delete': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleDeleteContacts',
    summary: 'Delete several contacts for good',
    params: ChannelPath,
    body: Type.Object({ contactIds: ContactIds }),
    data: DeletedContacts,
  },
} satisfies Contract;
