import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  ChannelCarrierBody,
  ChannelData,
  NewChannelBody,
} from '../../../../src/surfaces/admin/contract/account-settings/channels-schemas.js';
import { call } from '../client/call.js';
import { queryClient } from '../client/query-client.js';

export type AccountChannel = Static<typeof ChannelData>;

export const accountChannelsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['channels', accountId, 'health'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/channels', { params: { accountId }, signal }),
  });

export const createChannel = (accountId: string, body: Static<typeof NewChannelBody>) =>
  refreshChannels(accountId, call('POST /accounts/:accountId/channels', { params: { accountId }, body }));

export const switchChannel = (accountId: string, channelId: string, isActive: boolean) =>
  refreshChannels(
    accountId,
    call('PATCH /accounts/:accountId/channels/:channelId', { params: { accountId, channelId }, body: { isActive } }),
  );

export const setChannelCarrier = (accountId: string, channelId: string, body: Static<typeof ChannelCarrierBody>) =>
  refreshChannels(
    accountId,
    call('PUT /accounts/:accountId/channels/:channelId/carrier', { params: { accountId, channelId }, body }),
  );

export const resumeChannel = (accountId: string, channelId: string) =>
  refreshChannels(
    accountId,
    call('POST /accounts/:accountId/channels/:channelId/resume', { params: { accountId, channelId } }),
  );

/** @param phoneNumber the channel's number, sent as a confirmation that the right channel is deleted */
export const deleteChannel = (accountId: string, channelId: string, phoneNumber: string) =>
  refreshChannels(
    accountId,
    call('POST /accounts/:accountId/channels/:channelId/delete', {
      params: { accountId, channelId },
      body: { phoneNumber },
    }),
  );

async function refreshChannels<T>(accountId: string, change: Promise<T>): Promise<T> {
  const result = await change;
  await queryClient.invalidateQueries({ queryKey: ['channels', accountId] });
  return result;
}
