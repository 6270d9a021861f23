import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data, type Entry } from './asking/call.js';

export type Campaign = Entry<'GET /accounts/:accountId/channels/:channelId/campaigns'>;
export type CampaignDraft = Body<'POST /accounts/:accountId/channels/:channelId/campaigns'>;
export type CampaignEstimate = Data<'POST /accounts/:accountId/channels/:channelId/campaigns/estimate'>;
export type Recipient = Entry<'GET /accounts/:accountId/channels/:channelId/campaigns/:id/messages'>;

/** Milliseconds between looks at a campaign that is under way. */
const LOOK_MS = 1_500;
const UNDER_WAY = ['scheduled', 'running'];

/** Of a channel: its account and its id. */
export interface OfChannel {
  accountId: string;
  channelId: string;
}

export const campaignsKey = ({ accountId, channelId }: OfChannel) => ['campaigns', accountId, channelId] as const;

/** One campaign, again and again while it is under way. */
export const campaignQuery = (of: OfChannel, id: string) =>
  queryOptions({
    queryKey: [...campaignsKey(of), id],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/campaigns/:id', { params: { ...of, id }, signal }),
    refetchInterval: ({ state: { data } }) => (data && UNDER_WAY.includes(data.status) ? LOOK_MS : false),
  });

/** Whom it would reach and what it would cost. */
export const estimateCampaign = (of: OfChannel, draft: CampaignDraft) =>
  call('POST /accounts/:accountId/channels/:channelId/campaigns/estimate', { params: of, body: draft });

export const createCampaign = (of: OfChannel, draft: CampaignDraft, idempotencyKey: string) =>
  call('POST /accounts/:accountId/channels/:channelId/campaigns', { params: of, body: draft, idempotencyKey });

export const changeCampaign = (of: OfChannel, id: string, verb: 'pause' | 'resume' | 'cancel') =>
  call(`POST /accounts/:accountId/channels/:channelId/campaigns/:id/${verb}`, { params: { ...of, id } });
