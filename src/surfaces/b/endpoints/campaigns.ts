import { createCampaign, getCampaign, listCampaigns } from '../../../features/campaigns/campaigns.js';
import { cancelCampaign } from '../../../features/campaigns/cancel.js';
import { editCampaign } from '../../../features/campaigns/edit/edit.js';
import { estimateCampaign } from '../../../features/campaigns/estimate/estimate.js';
import { pauseCampaign, resumeCampaign } from '../../../features/campaigns/pause.js';
import { listRecipients } from '../../../features/campaigns/results/recipients.js';
import { OnePath, pathId } from '../../http/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { applyCampaignChange, CampaignChange } from '../../resources/records/campaign-change.js';
import { CampaignEstimateData, estimateRecord } from '../../resources/records/campaign-estimates.js';
import { campaignRecord, readCampaign, recipientRecord } from '../../resources/records/campaign-records.js';
import { Campaign, CampaignBody, Recipient } from '../../resources/records/campaign-schemas.js';
import { channelClaim } from '../../resources/sends/channel-claim.js';
import { ok, okOnce } from '../answers.js';
import { CAMPAIGNS, type Endpoints } from '../endpoint.js';
import { answerList, listByStatus } from '../lists.js';

export type CampaignOptions = UseCaseOptions<
  | typeof createCampaign
  | typeof editCampaign
  | typeof estimateCampaign
  | typeof getCampaign
  | typeof listCampaigns
  | typeof listRecipients
  | typeof cancelCampaign
  | typeof pauseCampaign
  | typeof resumeCampaign
>;

type OperationTexts = { summary: string; description: string };

export const campaignEndpoints: Endpoints<CampaignOptions> = async (app, options) => {
  app.post(
    '/campaigns',
    CAMPAIGNS.write({
      operationId: 'createCampaign',
      idempotent: true,
      summary: 'Send a template or an SMS to every member of a group',
      description:
        'A WhatsApp channel sends an APPROVED template, and the request must contain exactly its parameters. An SMS channel sends `text`. Everyone who is in the group at the start, and does not leave it before their turn, gets one message.',
      body: CampaignBody,
      data: Campaign,
      errors: [404, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      const { campaign, replayed } = await createCampaign(
        options,
        caller,
        readCampaign(body, caller.channel.kind),
        channelClaim(request),
      );
      return okOnce(reply, replayed, campaignRecord(campaign));
    },
  );

  app.post(
    '/campaigns/estimate',
    CAMPAIGNS.read({
      operationId: 'estimateCampaign',
      summary: 'Estimate the recipients and the price of a campaign without creating it',
      description: 'The estimate is for a campaign that starts now, at current prices.',
      body: CampaignBody,
      data: CampaignEstimateData,
      errors: [404],
    }),
    async ({ caller, body }) =>
      ok(estimateRecord(await estimateCampaign(options, caller, readCampaign(body, caller.channel.kind)))),
  );

  app.get(
    '/campaigns',
    CAMPAIGNS.read({
      operationId: 'listCampaigns',
      summary: 'List the campaigns of the channel, newest first',
      ...listByStatus('campaigns', Campaign, 'completed'),
    }),
    ({ query, caller }) =>
      answerList(query, 'campaigns', (page) => listCampaigns(options, channelScope(caller), page), campaignRecord),
  );

  app.get(
    '/campaigns/:id',
    CAMPAIGNS.read({
      operationId: 'getCampaign',
      summary: 'Get the progress of a campaign',
      params: OnePath,
      data: Campaign,
    }),
    async ({ params, caller }) =>
      ok(campaignRecord(await getCampaign(options, channelScope(caller), pathId(params.id, 'campaign')))),
  );

  app.patch(
    '/campaigns/:id',
    CAMPAIGNS.write({
      operationId: 'updateCampaign',
      summary: 'Change a campaign that has not started',
      description: 'The result is checked like a new campaign. 409 if the campaign has started or ended.',
      params: OnePath,
      body: CampaignChange,
      data: Campaign,
      errors: [409],
    }),
    async ({ params, caller, body }) => {
      const id = pathId(params.id, 'campaign');
      const { after } = await editCampaign(options, caller, id, (campaign) =>
        applyCampaignChange(campaign, body, caller.channel.kind),
      );
      return ok(campaignRecord(after));
    },
  );

  app.get(
    '/campaigns/:id/messages',
    CAMPAIGNS.read({
      operationId: 'listCampaignMessages',
      summary: 'List the messages of a campaign, with their recipients and statuses',
      description:
        'Newest first. The total may be out of date by up to 1 % of the campaign’s age. Skipped members have no message.',
      params: OnePath,
      ...listByStatus('messages', Recipient, 'failed'),
    }),
    ({ params, query, caller }) =>
      answerList(
        query,
        'messages',
        (page) => listRecipients(options, channelScope(caller), pathId(params.id, 'campaign'), page),
        recipientRecord,
      ),
  );

  const campaignAction = (
    verb: string,
    operationId: string,
    changeState: typeof pauseCampaign | typeof cancelCampaign,
    texts: OperationTexts,
  ) =>
    app.post(
      `/campaigns/:id/${verb}`,
      CAMPAIGNS.write({ operationId, ...texts, params: OnePath, data: Campaign, errors: [409] }),
      async ({ params, caller }) => {
        const id = pathId(params.id, 'campaign');
        await changeState(options, { id, ...channelScope(caller) });
        return ok(campaignRecord(await getCampaign(options, channelScope(caller), id)));
      },
    );

  campaignAction('pause', 'pauseCampaign', pauseCampaign, {
    summary: 'Pause a campaign that is scheduled or running',
    description:
      'No messages are created until it is resumed. Messages that already exist are still sent; up to 800 of them may not have reached a carrier. 409 if it is already paused or has ended.',
  });

  campaignAction('resume', 'resumeCampaign', resumeCampaign, {
    summary: 'Resume a paused campaign',
    description: 'Continues where it stopped. 409 if it is not paused.',
  });

  campaignAction('cancel', 'cancelCampaign', cancelCampaign, {
    summary: 'Cancel a campaign that is scheduled, running or paused',
    description:
      'Messages that have not reached a carrier are not sent: they become `canceled` and are refunded. 409 if the campaign has ended.',
  });
};
