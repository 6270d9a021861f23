import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  ChannelCarrierBody,
  ChannelData,
  ChannelDeletionData,
  NewChannelBody,
  ResumeData,
} from '../../../src/surfaces/admin/endpoints/account-settings/channels-schemas.js';
import { queryClient } from './query-client.js';
import { get, send } from './request.js';

/** A channel, and how it fares. */
export type AccountChannel = Static<typeof ChannelData>;

export const accountChannelsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['channels', accountId, 'health'],
    queryFn: ({ signal }) => get<AccountChannel[]>(`/accounts/${accountId}/channels`, undefined, signal),
  });

const path = (accountId: string, channelId = '') => `/accounts/${accountId}/channels${channelId && `/${channelId}`}`;

export const createChannel = (accountId: string, body: Static<typeof NewChannelBody>) =>
  change<AccountChannel>(accountId, 'POST', path(accountId), body);

export const switchChannel = (accountId: string, channelId: string, isActive: boolean) =>
  change<AccountChannel>(accountId, 'PATCH', path(accountId, channelId), { isActive });

export const setChannelCarrier = (accountId: string, channelId: string, body: Static<typeof ChannelCarrierBody>) =>
  change<AccountChannel>(accountId, 'PUT', `${path(accountId, channelId)}/carrier`, body);

export const resumeChannel = (accountId: string, channelId: string) =>
  change<Static<typeof ResumeData>>(accountId, 'POST', `${path(accountId, channelId)}/resume`);

/** @param phoneNumber the channel's, so that no other one is deleted */
export const deleteChannel = (accountId: string, channelId: string, phoneNumber: string) =>
  change<Static<typeof ChannelDeletionData>>(accountId, 'POST', `${path(accountId, channelId)}/delete`, {
    phoneNumber,
  });

async function change<T>(
  accountId: string,
  method: 'POST' | 'PUT' | 'PATCH',
  where: string,
  body?: unknown,
): Promise<T> {
  const result = await send<T>(method, where, body);
  await queryClient.invalidateQueries({ queryKey: ['channels', accountId] });
  return result;
}
