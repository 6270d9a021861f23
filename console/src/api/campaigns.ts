import { queryOptions } from '@tanstack/react-query';
import type { ChannelRef } from './channel-ref.js';
import { type Body, call, type Data, type Entry } from './client/call.js';

export type Campaign = Entry<'GET /accounts/:accountId/channels/:channelId/campaigns'>;
export type CampaignDraft = Body<'POST /accounts/:accountId/channels/:channelId/campaigns'>;
export type CampaignEstimate = Data<'POST /accounts/:accountId/channels/:channelId/campaigns/estimate'>;
export type Recipient = Entry<'GET /accounts/:accountId/channels/:channelId/campaigns/:id/messages'>;

/** Milliseconds between refetches of a campaign in progress. */
const POLL_MS = 1_500;
const IN_PROGRESS = ['scheduled', 'running'];

export const campaignsKey = ({ accountId, channelId }: ChannelRef) => ['campaigns', accountId, channelId] as const;

export const campaignQuery = (channelRef: ChannelRef, id: string) =>
  queryOptions({
    queryKey: [...campaignsKey(channelRef), id],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/campaigns/:id', { params: { ...channelRef, id }, signal }),
    refetchInterval: ({ state: { data } }) => (data && IN_PROGRESS.includes(data.status) ? POLL_MS : false),
  });

export const estimateCampaign = (channelRef: ChannelRef, draft: CampaignDraft) =>
  call('POST /accounts/:accountId/channels/:channelId/campaigns/estimate', { params: channelRef, body: draft });

export const createCampaign = (channelRef: ChannelRef, draft: CampaignDraft, idempotencyKey: string) =>
  call('POST /accounts/:accountId/channels/:channelId/campaigns', { params: channelRef, body: draft, idempotencyKey });

export const changeCampaign = (channelRef: ChannelRef, id: string, verb: 'pause' | 'resume' | 'cancel') =>
  call(`POST /accounts/:accountId/channels/:channelId/campaigns/:id/${verb}`, { params: { ...channelRef, id } });
