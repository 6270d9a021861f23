import type { Static } from '@sinclair/typebox';
import { queryOptions, skipToken } from '@tanstack/react-query';
import type { FoundBody } from '../../../src/surfaces/admin/contract/people/groups-schemas.js';
import type { ChannelRef } from './channel-ref.js';
import { type Body, call, callPage, type Data, type Entry } from './client/call.js';

export type Contact = Entry<'GET /accounts/:accountId/channels/:channelId/contacts'>;
export type ContactWithGroups = Data<'GET /accounts/:accountId/channels/:channelId/contacts/:id'>;
export type Group = Entry<'GET /accounts/:accountId/channels/:channelId/groups'>;

export const buildChannelPath = ({ accountId, channelId }: ChannelRef) =>
  `/accounts/${accountId}/channels/${channelId}`;

const MAX_OFFERED_GROUPS = 200;

/** An empty contact ID disables the query. */
export const contactQuery = (channelRef: ChannelRef, id: string) =>
  queryOptions({
    queryKey: ['contacts', channelRef.accountId, channelRef.channelId, 'one', id],
    queryFn: id
      ? ({ signal }) =>
          call('GET /accounts/:accountId/channels/:channelId/contacts/:id', { params: { ...channelRef, id }, signal })
      : skipToken,
  });

const MAX_OFFERED_CONTACTS = 20;

/** The newest contacts that match a search text, for choices of a contact. */
export const contactSearchQuery = (channelRef: ChannelRef, search: string) =>
  queryOptions({
    queryKey: ['contacts', channelRef.accountId, channelRef.channelId, 'choice', search],
    queryFn: async ({ signal }) =>
      (
        await callPage('GET /accounts/:accountId/channels/:channelId/contacts', {
          params: channelRef,
          query: { limit: MAX_OFFERED_CONTACTS, ...(search !== '' && { search }) },
          signal,
        })
      ).data,
  });

export const groupsQuery = (channelRef: ChannelRef) =>
  queryOptions({
    queryKey: ['groups', channelRef.accountId, channelRef.channelId, 'choice'],
    queryFn: async ({ signal }) =>
      (
        await callPage('GET /accounts/:accountId/channels/:channelId/groups', {
          params: channelRef,
          query: { limit: MAX_OFFERED_GROUPS },
          signal,
        })
      ).data,
  });

export const createContact = (
  channelRef: ChannelRef,
  body: Body<'POST /accounts/:accountId/channels/:channelId/contacts'>,
) => call('POST /accounts/:accountId/channels/:channelId/contacts', { params: channelRef, body });

export const updateContact = (
  channelRef: ChannelRef,
  id: string,
  body: Body<'PUT /accounts/:accountId/channels/:channelId/contacts/:id'>,
) => call('PUT /accounts/:accountId/channels/:channelId/contacts/:id', { params: { ...channelRef, id }, body });

export const deleteContacts = (channelRef: ChannelRef, contactIds: readonly string[]) =>
  call('POST /accounts/:accountId/channels/:channelId/contacts/bulk-delete', {
    params: channelRef,
    body: { contactIds: [...contactIds] },
  });

export type TagEdit = Body<'POST /accounts/:accountId/channels/:channelId/contacts/bulk-tag'>;

export const tagContacts = (channelRef: ChannelRef, body: TagEdit) =>
  call('POST /accounts/:accountId/channels/:channelId/contacts/bulk-tag', { params: channelRef, body });

interface ExportFilter {
  groupId?: string | undefined;
  audienceId?: string | undefined;
}

export function buildExportUrl(channelRef: ChannelRef, { groupId, audienceId }: ExportFilter): string {
  const query = new URLSearchParams({ ...(groupId && { groupId }), ...(audienceId && { audienceId }) });
  return `/admin/v1${buildChannelPath(channelRef)}/contacts/export${query.size > 0 ? `?${query}` : ''}`;
}

/** Everything that the account stores about the person of a contact. */
export const buildPersonExportUrl = (channelRef: ChannelRef, id: string) =>
  `/admin/v1${buildChannelPath(channelRef)}/contacts/${id}/export`;

export const createGroup = (
  channelRef: ChannelRef,
  body: Body<'POST /accounts/:accountId/channels/:channelId/groups'>,
) => call('POST /accounts/:accountId/channels/:channelId/groups', { params: channelRef, body });

type GroupChange = Body<'PUT /accounts/:accountId/channels/:channelId/groups/:id'>;

export const updateGroup = (channelRef: ChannelRef, id: string, body: GroupChange) =>
  call('PUT /accounts/:accountId/channels/:channelId/groups/:id', { params: { ...channelRef, id }, body });

export const deleteGroup = (channelRef: ChannelRef, id: string) =>
  call('DELETE /accounts/:accountId/channels/:channelId/groups/:id', { params: { ...channelRef, id } });

export const addSearchResults = (channelRef: ChannelRef, id: string, search: Static<typeof FoundBody>) =>
  call('POST /accounts/:accountId/channels/:channelId/groups/:id/add-found', {
    params: { ...channelRef, id },
    body: search,
  });

/** Adds or removes all given contacts; if the request fails, no contact's groups change. */
export const changeMembers = (
  channelRef: ChannelRef,
  id: string,
  change: 'add' | 'remove',
  contactIds: readonly string[],
) =>
  call(`POST /accounts/:accountId/channels/:channelId/groups/:id/${change}`, {
    params: { ...channelRef, id },
    body: { contactIds: [...contactIds] },
  });
