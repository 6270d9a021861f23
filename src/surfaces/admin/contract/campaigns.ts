import { Type } from '@sinclair/typebox';
import { pageQuery } from '../answers.js';
import { CampaignBody, CampaignData, CampaignEstimateData, CampaignRecipient } from './campaigns-schemas.js';
import { ChannelPath, ChannelThingPath } from './paths.js';
import { type Contract, READ, WRITE } from './contract.js';

const Status = Type.Optional(Type.String({ description: 'In any case; an unknown one finds none.' }));

const change = { ...WRITE, params: ChannelThingPath, data: CampaignData, errors: [409] } as const;

export const CAMPAIGNS = {
  'GET /accounts/:accountId/channels/:channelId/campaigns': {
    ...READ,
    operationId: 'consoleListCampaigns',
    summary: 'List the campaigns of a channel, the newest first',
    params: ChannelPath,
    query: pageQuery({ status: Status }),
    entry: CampaignData,
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns/estimate': {
    ...WRITE,
    operationId: 'consoleEstimateCampaign',
    summary: 'Tell whom a campaign would reach and what it would cost, without making it',
    params: ChannelPath,
    body: CampaignBody,
    data: CampaignEstimateData,
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns': {
    ...WRITE,
    operationId: 'consoleCreateCampaign',
    summary: 'Send a template to every member of a group',
    description:
      'With an `Idempotency-Key` a repetition within 24 hours makes nothing more and has the campaign that was made.',
    params: ChannelPath,
    body: CampaignBody,
    data: CampaignData,
  },
  'GET /accounts/:accountId/channels/:channelId/campaigns/:id': {
    ...READ,
    operationId: 'consoleGetCampaign',
    summary: 'Show a campaign and how far it is',
    params: ChannelThingPath,
    data: CampaignData,
  },
  'GET /accounts/:accountId/channels/:channelId/campaigns/:id/messages': {
    ...READ,
    operationId: 'consoleListCampaignMessages',
    summary: 'List the messages of a campaign, with their recipients and statuses, the newest first',
    params: ChannelThingPath,
    query: pageQuery({ status: Status }),
    entry: CampaignRecipient,
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns/:id/pause': {
    ...change,
    operationId: 'consolePauseCampaign',
    summary: 'Pause a campaign that is scheduled or running',
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns/:id/resume': {
    ...change,
    operationId: 'consoleResumeCampaign',
    summary: 'Have a paused campaign go on',
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns/:id/cancel': {
    ...change,
    operationId: 'consoleCancelCampaign',
    summary: 'Cancel a campaign that is scheduled, running or paused; what is not with a carrier yet is refunded',
  },
} satisfies Contract;
