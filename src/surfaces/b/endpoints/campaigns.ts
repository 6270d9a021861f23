import { createCampaign, getCampaign, listCampaigns } from '../../../features/campaigns/campaigns.js';
import { cancelCampaign } from '../../../features/campaigns/cancel.js';
import { pauseCampaign, resumeCampaign } from '../../../features/campaigns/pause.js';
import { listRecipients } from '../../../features/campaigns/recipients.js';
import { OnePath, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { campaignRecord, readCampaign, recipientRecord } from '../../resources/records/campaign-records.js';
import { Campaign, CampaignBody, Recipient } from '../../resources/records/campaign-schemas.js';
import { channelClaim } from '../../resources/sends/channel-claim.js';
import { ok, okOnce } from '../answers.js';
import { CAMPAIGNS, type Endpoints } from '../endpoint.js';
import { listByStatus, listOf } from '../lists.js';

export type CampaignOptions = OptionsOf<
  | typeof createCampaign
  | typeof getCampaign
  | typeof listCampaigns
  | typeof listRecipients
  | typeof cancelCampaign
  | typeof pauseCampaign
  | typeof resumeCampaign
>;

/** What the document says of an operation. */
type Words = { summary: string; description: string };

export const campaignEndpoints: Endpoints<CampaignOptions> = async (app, options) => {
  app.post(
    '/campaigns',
    CAMPAIGNS.write({
      operationId: 'createCampaign',
      idempotent: true,
      summary: 'Send a template to every member of a group',
      description:
        'The template must be APPROVED and be given all of its parameters and no other. Members are those of the moment at which the campaign begins, less those who leave the group before their turn; each gets one message.',
      body: CampaignBody,
      data: Campaign,
      errors: [404, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      const { campaign, replayed } = await createCampaign(options, caller, readCampaign(body), channelClaim(request));
      return okOnce(reply, replayed, campaignRecord(campaign));
    },
  );

  app.get(
    '/campaigns',
    CAMPAIGNS.read({
      operationId: 'listCampaigns',
      summary: 'List the campaigns of the channel, the newest first',
      ...listByStatus('campaigns', Campaign, 'completed'),
    }),
    ({ query, caller }) =>
      listOf(query, 'campaigns', (page) => listCampaigns(options, scopeOf(caller), page), campaignRecord),
  );

  app.get(
    '/campaigns/:id',
    CAMPAIGNS.read({
      operationId: 'getCampaign',
      summary: 'Ask how far a campaign is',
      params: OnePath,
      data: Campaign,
    }),
    async ({ params, caller }) =>
      ok(campaignRecord(await getCampaign(options, scopeOf(caller), pathId(params.id, 'campaign')))),
  );

  app.get(
    '/campaigns/:id/messages',
    CAMPAIGNS.read({
      operationId: 'listCampaignMessages',
      summary: 'List the messages of a campaign, with their recipients and statuses',
      description:
        'The newest first. The total may be as old as a hundredth of the age of the campaign. Members who were passed over have no message.',
      params: OnePath,
      ...listByStatus('messages', Recipient, 'failed'),
    }),
    ({ params, query, caller }) =>
      listOf(
        query,
        'messages',
        (page) => listRecipients(options, scopeOf(caller), pathId(params.id, 'campaign'), page),
        recipientRecord,
      ),
  );

  const change = (
    verb: string,
    operationId: string,
    what: typeof pauseCampaign | typeof cancelCampaign,
    words: Words,
  ) =>
    app.post(
      `/campaigns/:id/${verb}`,
      CAMPAIGNS.write({ operationId, ...words, params: OnePath, data: Campaign, errors: [409] }),
      async ({ params, caller }) => {
        const id = pathId(params.id, 'campaign');
        await what(options, { id, ...scopeOf(caller) });
        return ok(campaignRecord(await getCampaign(options, scopeOf(caller), id)));
      },
    );

  change('pause', 'pauseCampaign', pauseCampaign, {
    summary: 'Pause a campaign that is scheduled or running',
    description:
      'It makes no more messages, and does not begin, until it is resumed. Messages that are made already, at most 800 of them not yet with a carrier, go out. 409 when it is paused or has ended.',
  });

  change('resume', 'resumeCampaign', resumeCampaign, {
    summary: 'Have a paused campaign go on',
    description: 'It goes on with the member at which it stopped. 409 when it is not paused.',
  });

  change('cancel', 'cancelCampaign', cancelCampaign, {
    summary: 'Cancel a campaign that is scheduled, running or paused',
    description:
      'Messages that are not with a carrier yet are not sent: they become `canceled` and are refunded. 409 when the campaign has ended.',
  });
};
