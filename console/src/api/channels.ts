import { queryOptions } from '@tanstack/react-query';
import { get } from './request.js';

/** A channel of an account: a phone number that speaks WhatsApp. */
export interface Channel {
  id: string;
  name: string;
  phoneNumber: string;
}

/** The channels of an account. */
export const channelsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['channels', accountId],
    queryFn: ({ signal }) => get<Channel[]>(`/accounts/${accountId}/channels`, undefined, signal),
    staleTime: 60_000,
  });
