import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data, type Entry } from './asking/call.js';

export type Campaign = Entry<'GET /accounts/:accountId/channels/:channelId/campaigns'>;
export type CampaignDraft = Body<'POST /accounts/:accountId/channels/:channelId/campaigns'>;
export type CampaignEstimate = Data<'POST /accounts/:accountId/channels/:channelId/campaigns/estimate'>;
export type Recipient = Entry<'GET /accounts/:accountId/channels/:channelId/campaigns/:id/messages'>;

/** Milliseconds between refetches of a campaign in progress. */
const LOOK_MS = 1_500;
const UNDER_WAY = ['scheduled', 'running'];

export interface OfChannel {
  accountId: string;
  channelId: string;
}

export const campaignsKey = ({ accountId, channelId }: OfChannel) => ['campaigns', accountId, channelId] as const;

export const campaignQuery = (channelRef: OfChannel, id: string) =>
  queryOptions({
    queryKey: [...campaignsKey(channelRef), id],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/campaigns/:id', { params: { ...channelRef, id }, signal }),
    refetchInterval: ({ state: { data } }) => (data && UNDER_WAY.includes(data.status) ? LOOK_MS : false),
  });

export const estimateCampaign = (channelRef: OfChannel, draft: CampaignDraft) =>
  call('POST /accounts/:accountId/channels/:channelId/campaigns/estimate', { params: channelRef, body: draft });

export const createCampaign = (channelRef: OfChannel, draft: CampaignDraft, idempotencyKey: string) =>
  call('POST /accounts/:accountId/channels/:channelId/campaigns', { params: channelRef, body: draft, idempotencyKey });

export const changeCampaign = (channelRef: OfChannel, id: string, verb: 'pause' | 'resume' | 'cancel') =>
  call(`POST /accounts/:accountId/channels/:channelId/campaigns/:id/${verb}`, { params: { ...channelRef, id } });
