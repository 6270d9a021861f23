import { queryOptions } from '@tanstack/react-query';
import type { ChannelRef } from './channel-ref.js';
import { type Body, call } from './client/call.js';
import { contactQuery } from './people.js';

export type ConsentBody = Body<'POST /accounts/:accountId/channels/:channelId/contacts/:id/consents'>;

export const contactConsentsQuery = (channelRef: ChannelRef, id: string) =>
  queryOptions({
    // Begins as the contact's key, so that it is not read while the contact is removed.
    queryKey: [...contactQuery(channelRef, id).queryKey, 'consents'],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/contacts/:id/consents', {
        params: { ...channelRef, id },
        signal,
      }),
  });

export const recordConsent = (channelRef: ChannelRef, id: string, body: ConsentBody) =>
  call('POST /accounts/:accountId/channels/:channelId/contacts/:id/consents', { params: { ...channelRef, id }, body });

/** A URL that downloads the consent ledger of a channel as CSV. */
export const buildConsentExportUrl = ({ accountId, channelId }: ChannelRef): string =>
  `/admin/v1/accounts/${accountId}/channels/${channelId}/consents/export`;
