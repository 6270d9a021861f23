import type { Static } from '@sinclair/typebox';
import { queryOptions, skipToken } from '@tanstack/react-query';
import type { FoundBody } from '../../../src/surfaces/admin/contract/people/groups-schemas.js';
import { type Body, call, callPage, type Data, type Entry } from './asking/call.js';

export type Contact = Entry<'GET /accounts/:accountId/channels/:channelId/contacts'>;
export type ContactWithGroups = Data<'GET /accounts/:accountId/channels/:channelId/contacts/:id'>;
export type Group = Entry<'GET /accounts/:accountId/channels/:channelId/groups'>;

/** A channel of an account, whose contacts are meant. */
export interface Place {
  accountId: string;
  channelId: string;
}

export const placePath = ({ accountId, channelId }: Place) => `/accounts/${accountId}/channels/${channelId}`;

/** Most groups that a choice offers. */
const OFFERED_GROUPS = 200;

/** A contact with its groups; with an empty id nothing is asked. */
export const contactQuery = (place: Place, id: string) =>
  queryOptions({
    queryKey: ['contacts', place.accountId, place.channelId, 'one', id],
    queryFn: id
      ? ({ signal }) =>
          call('GET /accounts/:accountId/channels/:channelId/contacts/:id', { params: { ...place, id }, signal })
      : skipToken,
  });

/** The newest groups, for a choice. */
export const groupsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['groups', place.accountId, place.channelId, 'choice'],
    queryFn: async ({ signal }) =>
      (
        await callPage('GET /accounts/:accountId/channels/:channelId/groups', {
          params: place,
          query: { limit: OFFERED_GROUPS },
          signal,
        })
      ).data,
  });

export const createContact = (place: Place, body: Body<'POST /accounts/:accountId/channels/:channelId/contacts'>) =>
  call('POST /accounts/:accountId/channels/:channelId/contacts', { params: place, body });

export const updateContact = (
  place: Place,
  id: string,
  body: Body<'PUT /accounts/:accountId/channels/:channelId/contacts/:id'>,
) => call('PUT /accounts/:accountId/channels/:channelId/contacts/:id', { params: { ...place, id }, body });

export const deleteContacts = (place: Place, contactIds: readonly string[]) =>
  call('POST /accounts/:accountId/channels/:channelId/contacts/bulk-delete', {
    params: place,
    body: { contactIds: [...contactIds] },
  });

/** Where the contacts of a channel, or of a group, can be had as a file. */
export const exportUrl = (place: Place, groupId: string | undefined) =>
  `/admin/v1${placePath(place)}/contacts/export${groupId ? `?groupId=${encodeURIComponent(groupId)}` : ''}`;

export const createGroup = (place: Place, body: Body<'POST /accounts/:accountId/channels/:channelId/groups'>) =>
  call('POST /accounts/:accountId/channels/:channelId/groups', { params: place, body });

type GroupChange = Body<'PUT /accounts/:accountId/channels/:channelId/groups/:id'>;

export const updateGroup = (place: Place, id: string, body: GroupChange) =>
  call('PUT /accounts/:accountId/channels/:channelId/groups/:id', { params: { ...place, id }, body });

export const deleteGroup = (place: Place, id: string) =>
  call('DELETE /accounts/:accountId/channels/:channelId/groups/:id', { params: { ...place, id } });

/** Adds all contacts that a search finds to a group. */
export const addFound = (place: Place, id: string, found: Static<typeof FoundBody>) =>
  call('POST /accounts/:accountId/channels/:channelId/groups/:id/add-found', { params: { ...place, id }, body: found });

/** Adds contacts to a group, or removes them from it, all or none. */
export const changeMembers = (place: Place, id: string, change: 'add' | 'remove', contactIds: readonly string[]) =>
  call(`POST /accounts/:accountId/channels/:channelId/groups/:id/${change}`, {
    params: { ...place, id },
    body: { contactIds: [...contactIds] },
  });
