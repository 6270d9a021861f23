import { Type } from '@sinclair/typebox';
import { ContactIds } from '../../../http/ids.js';
import { TaggedData } from '../../../resources/people/contact-fields.js';
import { DoneData } from '../../answers.js';
import type { Contract } from '../contract.js';
import { ChannelPath, ChannelResourcePath } from '../paths.js';
import {
  ContactData,
  ContactEntry,
  ContactListQuery,
  ContactTotals,
  CreateContactBody,
  DeletedContacts,
  TagContactsBody,
  UpdateContactBody,
} from './contacts-schemas.js';

export const CONTACTS = {
  'GET /accounts/:accountId/channels/:channelId/contacts': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListContacts',
    summary: 'List or search the contacts of a channel, newest first',
    params: ChannelPath,
    query: ContactListQuery,
    entry: ContactEntry,
    more: ContactTotals,
  },
  'POST /accounts/:accountId/channels/:channelId/contacts': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleCreateContact',
    summary: 'Create a contact',
    params: ChannelPath,
    body: CreateContactBody,
    data: ContactData,
    errors: [409],
  },
  'GET /accounts/:accountId/channels/:channelId/contacts/:id': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetContact',
    summary: 'Show a contact and its groups',
    params: ChannelResourcePath,
    data: ContactData,
  },
  'PUT /accounts/:accountId/channels/:channelId/contacts/:id': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleUpdateContact',
    summary: 'Change a contact or its opt-out',
    params: ChannelResourcePath,
    body: UpdateContactBody,
    data: ContactData,
  },
  'DELETE /accounts/:accountId/channels/:channelId/contacts/:id': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleDeleteContact',
    summary: 'Delete a contact permanently',
    params: ChannelResourcePath,
    data: DoneData,
  },
  'POST /accounts/:accountId/channels/:channelId/contacts/bulk-delete': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleDeleteContacts',
    summary: 'Delete several contacts permanently',
    params: ChannelPath,
    body: Type.Object({ contactIds: ContactIds }),
    data: DeletedContacts,
  },
} satisfies Contract;

export const BULK_TAG = {
  'POST /accounts/:accountId/channels/:channelId/contacts/bulk-tag': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleTagContacts',
    summary: 'Add and remove tags of contacts, or of all contacts that match a search',
    params: ChannelPath,
    body: TagContactsBody,
    data: TaggedData,
  },
} satisfies Contract;
