import type { Static } from '@sinclair/typebox';
import { queryOptions, skipToken } from '@tanstack/react-query';
import type {
  ContactData,
  ContactEntry,
  CreateContactBody,
  DeletedContacts,
  UpdateContactBody,
} from '../../../src/surfaces/admin/endpoints/people/contacts-schemas.js';
import type {
  CreateGroupBody,
  FoundBody,
  GroupEntry,
  MembersData,
  UpdateGroupBody,
} from '../../../src/surfaces/admin/endpoints/people/groups-schemas.js';
import { get, getPage, send } from './request.js';

export type Contact = Static<typeof ContactEntry>;
export type ContactWithGroups = Static<typeof ContactData>;
export type Group = Static<typeof GroupEntry>;

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
      ? ({ signal }) => get<ContactWithGroups>(`${placePath(place)}/contacts/${id}`, undefined, signal)
      : skipToken,
  });

/** The newest groups, for a choice. */
export const groupsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['groups', place.accountId, place.channelId, 'choice'],
    queryFn: async ({ signal }) =>
      (await getPage<Group>(`${placePath(place)}/groups`, { limit: OFFERED_GROUPS }, signal)).data,
  });

export const createContact = (place: Place, body: Static<typeof CreateContactBody>) =>
  send<ContactWithGroups>('POST', `${placePath(place)}/contacts`, body);

export const updateContact = (place: Place, id: string, body: Static<typeof UpdateContactBody>) =>
  send<ContactWithGroups>('PUT', `${placePath(place)}/contacts/${id}`, body);

export const deleteContacts = (place: Place, contactIds: readonly string[]) =>
  send<Static<typeof DeletedContacts>>('POST', `${placePath(place)}/contacts/bulk-delete`, { contactIds });

/** Where the contacts of a channel, or of a group, can be had as a file. */
export const exportUrl = (place: Place, groupId: string | undefined) =>
  `/admin/v1${placePath(place)}/contacts/export${groupId ? `?groupId=${encodeURIComponent(groupId)}` : ''}`;

export const createGroup = (place: Place, body: Static<typeof CreateGroupBody>) =>
  send<Group>('POST', `${placePath(place)}/groups`, body);

export const updateGroup = (place: Place, id: string, body: Static<typeof UpdateGroupBody>) =>
  send<Group>('PUT', `${placePath(place)}/groups/${id}`, body);

export const deleteGroup = (place: Place, id: string) => send<object>('DELETE', `${placePath(place)}/groups/${id}`);

/** Adds all contacts that a search finds to a group. */
export const addFound = (place: Place, id: string, found: Static<typeof FoundBody>) =>
  send<Static<typeof MembersData>>('POST', `${placePath(place)}/groups/${id}/add-found`, found);

/** Adds contacts to a group, or removes them from it, all or none. */
export const changeMembers = (place: Place, id: string, change: 'add' | 'remove', contactIds: readonly string[]) =>
  send<Static<typeof MembersData>>('POST', `${placePath(place)}/groups/${id}/${change}`, { contactIds });
