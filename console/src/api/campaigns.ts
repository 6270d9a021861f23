import { queryOptions } from '@tanstack/react-query';
import type { ChannelRef } from './channel-ref.js';
import { type Body, call, callPage, type Data, type Entry } from './client/call.js';
import { buildChannelPath } from './people.js';

export type Campaign = Entry<'GET /accounts/:accountId/channels/:channelId/campaigns'>;
export type CampaignDraft = Body<'POST /accounts/:accountId/channels/:channelId/campaigns'>;
export type CampaignEstimate = Data<'POST /accounts/:accountId/channels/:channelId/campaigns/estimate'>;
export type CampaignResults = Data<'GET /accounts/:accountId/channels/:channelId/campaigns/:id/results'>;
export type Recipient = Entry<'GET /accounts/:accountId/channels/:channelId/campaigns/:id/messages'>;

/** Milliseconds between refetches of a campaign in progress. */
const POLL_MS = 1_500;
/** Results take longer to compute than the progress. */
const RESULTS_POLL_MS = 10_000;
const IN_PROGRESS = ['scheduled', 'running'];

export const campaignsKey = ({ accountId, channelId }: ChannelRef) => ['campaigns', accountId, channelId] as const;

const MAX_OFFERED_CAMPAIGNS = 200;

/** The newest campaigns, for choices of a campaign. */
export const campaignChoicesQuery = (channelRef: ChannelRef) =>
  queryOptions({
    queryKey: [...campaignsKey(channelRef), 'choice'],
    queryFn: async ({ signal }) =>
      (
        await callPage('GET /accounts/:accountId/channels/:channelId/campaigns', {
          params: channelRef,
          query: { limit: MAX_OFFERED_CAMPAIGNS },
          signal,
        })
      ).data,
  });

export const campaignQuery = (channelRef: ChannelRef, id: string) =>
  queryOptions({
    queryKey: [...campaignsKey(channelRef), id],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/campaigns/:id', { params: { ...channelRef, id }, signal }),
    refetchInterval: ({ state: { data } }) => (data && IN_PROGRESS.includes(data.status) ? POLL_MS : false),
  });

export const campaignResultsQuery = (channelRef: ChannelRef, { id, status }: Pick<Campaign, 'id' | 'status'>) =>
  queryOptions({
    queryKey: [...campaignsKey(channelRef), id, 'results', status],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/campaigns/:id/results', {
        params: { ...channelRef, id },
        signal,
      }),
    refetchInterval: IN_PROGRESS.includes(status) ? RESULTS_POLL_MS : false,
  });

export const buildRecipientsUrl = (channelRef: ChannelRef, id: string) =>
  `/admin/v1${buildChannelPath(channelRef)}/campaigns/${id}/recipients.csv`;

export const estimateCampaign = (channelRef: ChannelRef, draft: CampaignDraft) =>
  call('POST /accounts/:accountId/channels/:channelId/campaigns/estimate', { params: channelRef, body: draft });

export const createCampaign = (channelRef: ChannelRef, draft: CampaignDraft, idempotencyKey: string) =>
  call('POST /accounts/:accountId/channels/:channelId/campaigns', { params: channelRef, body: draft, idempotencyKey });

export const updateCampaign = (
  channelRef: ChannelRef,
  id: string,
  change: Body<'PATCH /accounts/:accountId/channels/:channelId/campaigns/:id'>,
) =>
  call('PATCH /accounts/:accountId/channels/:channelId/campaigns/:id', {
    params: { ...channelRef, id },
    body: change,
  });

export const changeCampaign = (channelRef: ChannelRef, id: string, verb: 'pause' | 'resume' | 'cancel') =>
  call(`POST /accounts/:accountId/channels/:channelId/campaigns/:id/${verb}`, { params: { ...channelRef, id } });

export const testCampaign = (
  channelRef: ChannelRef,
  id: string,
  body: Body<'POST /accounts/:accountId/channels/:channelId/campaigns/:id/test'>,
  idempotencyKey: string,
) =>
  call('POST /accounts/:accountId/channels/:channelId/campaigns/:id/test', {
    params: { ...channelRef, id },
    body,
    idempotencyKey,
  });
