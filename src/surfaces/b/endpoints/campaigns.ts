import type { Static } from '@sinclair/typebox';
import {
  type CountedCampaign,
  createCampaign,
  getCampaign,
  listCampaigns,
  type NewCampaign,
  stateOf,
} from '../../../features/campaigns/campaigns.js';
import { cancelCampaign } from '../../../features/campaigns/cancel.js';
import { pauseCampaign, resumeCampaign } from '../../../features/campaigns/pause.js';
import { type CampaignRecipient, listRecipients } from '../../../features/campaigns/recipients.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { parseTimestamp } from '../../../platform/timestamps.js';
import { noteReplay } from '../../http/idempotency-key.js';
import { bodyId, OnePath, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { iso } from '../../http/schemas/values.js';
import { ok } from '../answers.js';
import { scopeOf } from '../channel-auth.js';
import { channelClaim } from '../channel-claim.js';
import { type Endpoints, endpoint } from '../endpoint.js';
import { listByStatus, listOf } from '../lists.js';
import { requireVariableNames } from '../variables.js';
import { Campaign, CampaignBody, Recipient } from './campaign-schemas.js';

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

const read = endpoint('Campaigns', 'campaigns:read');
const write = endpoint('Campaigns', 'campaigns:write');

export const campaignEndpoints: Endpoints<CampaignOptions> = async (app, options) => {
  app.post(
    '/campaigns',
    write({
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
      if (replayed) noteReplay(reply);
      return ok(campaignRecord(campaign));
    },
  );

  app.get(
    '/campaigns',
    read({
      operationId: 'listCampaigns',
      summary: 'List the campaigns of the channel, the newest first',
      ...listByStatus('campaigns', Campaign, 'completed'),
    }),
    ({ query, caller }) =>
      listOf(
        query,
        'campaigns',
        (page) => listCampaigns(options, scopeOf(caller), { status: query.status, ...page }),
        campaignRecord,
      ),
  );

  app.get(
    '/campaigns/:id',
    read({ operationId: 'getCampaign', summary: 'Ask how far a campaign is', params: OnePath, data: Campaign }),
    async ({ params, caller }) =>
      ok(campaignRecord(await getCampaign(options, scopeOf(caller), pathId(params.id, 'campaign')))),
  );

  app.get(
    '/campaigns/:id/messages',
    read({
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
        (page) =>
          listRecipients(options, scopeOf(caller), pathId(params.id, 'campaign'), { status: query.status, ...page }),
        recipientRecord,
      ),
  );

  const change = (verb: string, operationId: string, what: typeof pauseCampaign, words: Words) =>
    app.post(
      `/campaigns/:id/${verb}`,
      write({ operationId, ...words, params: OnePath, data: Campaign, errors: [409] }),
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

/** @throws {AppError} INVALID_REQUEST for what the schema cannot say */
export function readCampaign(body: Static<typeof CampaignBody>): NewCampaign {
  const { templateName, language, components, variables = {}, memberVariables = [], scheduledAt } = body;
  const name = body.name.trim();
  if (name === '') throw invalidField('name', 'must not be empty');
  requireVariableNames(variables, 'variables');
  const phones = new Set<string>();
  for (const [index, each] of memberVariables.entries()) {
    const field = `memberVariables[${index}]`;
    if (phones.has(each.phone)) throw invalidField(`${field}.phone`, 'must not stand in the list before');
    phones.add(each.phone);
    requireVariableNames(each.variables, `${field}.variables`);
  }
  return {
    name,
    templateName,
    language,
    components,
    variables,
    memberVariables,
    groupId: bodyId(body.groupId, 'groupId'),
    scheduledAt: scheduledAt === undefined ? null : parseTimestamp(scheduledAt, 'scheduledAt'),
  };
}

/** A campaign in the shape of `Campaign`. */
export function campaignRecord(campaign: CountedCampaign) {
  const { id, name, templateName, language, groupId, messageCount, skippedCount, messages, errorMessage } = campaign;
  return {
    id,
    name,
    status: stateOf(campaign),
    templateName,
    language,
    groupId,
    messageCount,
    skippedCount,
    counts: messages,
    errorMessage,
    scheduledAt: iso(campaign.scheduledAt),
    startedAt: iso(campaign.startedAt),
    pausedAt: iso(campaign.pausedAt),
    completedAt: iso(campaign.completedAt),
    createdAt: campaign.createdAt.toISOString(),
  };
}

/** A message of a campaign in the shape of `Recipient`. */
export function recipientRecord({ carrierMessageId, ...recipient }: CampaignRecipient) {
  return {
    ...recipient,
    whatsappMessageId: carrierMessageId,
    createdAt: recipient.createdAt.toISOString(),
    sentAt: iso(recipient.sentAt),
    deliveredAt: iso(recipient.deliveredAt),
    readAt: iso(recipient.readAt),
    endedAt: iso(recipient.endedAt),
  };
}
