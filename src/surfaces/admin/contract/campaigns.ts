import { Type } from '@sinclair/typebox';
import { pageQuery } from '../answers.js';
import {
  CampaignBody,
  CampaignChange,
  CampaignData,
  CampaignEstimateData,
  CampaignRecipient,
  CampaignResultsRecord,
  CampaignTestBody,
  CampaignTestData,
} from './campaigns-schemas.js';
import { type Contract, READ, WRITE } from './contract.js';
import { ChannelPath, ChannelResourcePath } from './paths.js';

const Status = Type.Optional(
  Type.String({ description: 'In upper or lower case; an unknown status matches nothing.' }),
);

const change = { ...WRITE, params: ChannelResourcePath, data: CampaignData, errors: [409] } as const;

export const CAMPAIGNS = {
  'GET /accounts/:accountId/channels/:channelId/campaigns': {
    ...READ,
    operationId: 'consoleListCampaigns',
    summary: 'List the campaigns of a channel, newest first',
    params: ChannelPath,
    query: pageQuery({ status: Status }),
    entry: CampaignData,
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns/estimate': {
    ...WRITE,
    operationId: 'consoleEstimateCampaign',
    summary: 'Estimate the recipients and the price of a campaign without creating it',
    params: ChannelPath,
    body: CampaignBody,
    data: CampaignEstimateData,
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns': {
    ...WRITE,
    operationId: 'consoleCreateCampaign',
    summary: 'Send a template or an SMS to every member of a group',
    description:
      'A request repeated within 24 hours with the same `Idempotency-Key` creates nothing and returns the first campaign.',
    params: ChannelPath,
    body: CampaignBody,
    data: CampaignData,
  },
  'GET /accounts/:accountId/channels/:channelId/campaigns/:id': {
    ...READ,
    operationId: 'consoleGetCampaign',
    summary: 'Show a campaign and its progress',
    params: ChannelResourcePath,
    data: CampaignData,
  },
  'PATCH /accounts/:accountId/channels/:channelId/campaigns/:id': {
    ...change,
    operationId: 'consoleUpdateCampaign',
    summary: 'Change a campaign that has not started',
    body: CampaignChange,
  },
  'GET /accounts/:accountId/channels/:channelId/campaigns/:id/results': {
    ...READ,
    operationId: 'consoleGetCampaignResults',
    summary: 'Show the results and the cost of a campaign',
    params: ChannelResourcePath,
    data: CampaignResultsRecord,
  },
  'GET /accounts/:accountId/channels/:channelId/campaigns/:id/messages': {
    ...READ,
    operationId: 'consoleListCampaignMessages',
    summary: 'List the messages of a campaign with their recipients and statuses, newest first',
    params: ChannelResourcePath,
    query: pageQuery({ status: Status }),
    entry: CampaignRecipient,
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns/:id/test': {
    ...WRITE,
    operationId: 'consoleTestCampaign',
    summary: 'Send the message of a campaign to your own numbers',
    description:
      'A request repeated within 24 hours with the same `Idempotency-Key` sends nothing and returns the first messages.',
    params: ChannelResourcePath,
    body: CampaignTestBody,
    data: CampaignTestData,
    errors: [402, 409, 422],
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns/:id/pause': {
    ...change,
    operationId: 'consolePauseCampaign',
    summary: 'Pause a campaign that is scheduled or running',
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns/:id/resume': {
    ...change,
    operationId: 'consoleResumeCampaign',
    summary: 'Resume a paused campaign',
  },
  'POST /accounts/:accountId/channels/:channelId/campaigns/:id/cancel': {
    ...change,
    operationId: 'consoleCancelCampaign',
    summary:
      'Cancel a campaign that is scheduled, running or paused, and refund messages that have not reached a carrier',
  },
} satisfies Contract;
