import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  CampaignBody,
  CampaignData,
  CampaignEstimateData,
  CampaignRecipient,
} from '../../../src/surfaces/admin/endpoints/campaigns-schemas.js';
import { get, getPage, send } from './request.js';

export type Campaign = Static<typeof CampaignData>;
export type CampaignDraft = Static<typeof CampaignBody>;
export type CampaignEstimate = Static<typeof CampaignEstimateData>;
export type Recipient = Static<typeof CampaignRecipient>;

/** Milliseconds between looks at a campaign that is under way. */
const LOOK_MS = 1_500;
const UNDER_WAY = ['scheduled', 'running'];

/** Of a channel: its account and its id. */
export interface OfChannel {
  accountId: string;
  channelId: string;
}

export const pathOfChannel = ({ accountId, channelId }: OfChannel) => `/accounts/${accountId}/channels/${channelId}`;
export const campaignsPath = (of: OfChannel) => `${pathOfChannel(of)}/campaigns`;
export const campaignsKey = ({ accountId, channelId }: OfChannel) => ['campaigns', accountId, channelId] as const;

/** One campaign, again and again while it is under way. */
export const campaignQuery = (of: OfChannel, id: string) =>
  queryOptions({
    queryKey: [...campaignsKey(of), id],
    queryFn: ({ signal }) => get<Campaign>(`${campaignsPath(of)}/${id}`, undefined, signal),
    refetchInterval: ({ state: { data } }) => (data && UNDER_WAY.includes(data.status) ? LOOK_MS : false),
  });

/** Whom it would reach and what it would cost. */
export const estimateCampaign = (of: OfChannel, draft: CampaignDraft) =>
  send<CampaignEstimate>('POST', `${campaignsPath(of)}/estimate`, draft);

export const createCampaign = (of: OfChannel, draft: CampaignDraft) => send<Campaign>('POST', campaignsPath(of), draft);

export const changeCampaign = (of: OfChannel, id: string, verb: 'pause' | 'resume' | 'cancel') =>
  send<Campaign>('POST', `${campaignsPath(of)}/${id}/${verb}`);

/** A group to choose from. */
export interface GroupChoice {
  id: string;
  name: string;
  contactCount: number;
}

/** The newest groups of a channel, to choose from. */
export const groupChoicesQuery = (of: OfChannel) =>
  queryOptions({
    queryKey: ['groups', of.accountId, of.channelId, 'choices'],
    queryFn: async ({ signal }) =>
      (await getPage<GroupChoice>(`${pathOfChannel(of)}/groups`, { limit: 200 }, signal)).data,
  });
