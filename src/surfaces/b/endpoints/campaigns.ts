import type { Static } from '@sinclair/typebox';
import {
  type CountedCampaign,
  createCampaign,
  getCampaign,
  listCampaigns,
  type NewCampaign,
} from '../../../features/campaigns/campaigns.js';
import { cancelCampaign } from '../../../features/campaigns/cancel.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { parseTimestamp } from '../../../platform/timestamps.js';
import { noteReplay } from '../../http/idempotency-key.js';
import type { OptionsOf } from '../../http/options-of.js';
import { iso, ok } from '../answers.js';
import { scopeOf } from '../channel-auth.js';
import { channelClaim } from '../channel-claim.js';
import { type Endpoints, endpoint } from '../endpoint.js';
import { bodyId, OnePath, pathId } from '../ids.js';
import { listByStatus, listOf } from '../lists.js';
import { requireVariableNames } from '../variables.js';
import { Campaign, CampaignBody } from './campaign-schemas.js';

export type CampaignOptions = OptionsOf<
  typeof createCampaign | typeof getCampaign | typeof listCampaigns | typeof cancelCampaign
>;

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

  app.post(
    '/campaigns/:id/cancel',
    write({
      operationId: 'cancelCampaign',
      summary: 'Cancel a campaign that is scheduled or running',
      description:
        'Messages that are not with a carrier yet are not sent: they become `canceled` and are refunded. 409 when the campaign has ended.',
      params: OnePath,
      data: Campaign,
      errors: [409],
    }),
    async ({ params, caller }) => {
      const id = pathId(params.id, 'campaign');
      await cancelCampaign(options, { id, ...scopeOf(caller) });
      return ok(campaignRecord(await getCampaign(options, scopeOf(caller), id)));
    },
  );
};

function readCampaign(body: Static<typeof CampaignBody>): NewCampaign {
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

function campaignRecord(campaign: CountedCampaign) {
  const { id, name, status, templateName, language, groupId, messageCount, skippedCount, messages, errorMessage } =
    campaign;
  return {
    id,
    name,
    status,
    templateName,
    language,
    groupId,
    messageCount,
    skippedCount,
    counts: messages,
    errorMessage,
    scheduledAt: iso(campaign.scheduledAt),
    startedAt: iso(campaign.startedAt),
    completedAt: iso(campaign.completedAt),
    createdAt: campaign.createdAt.toISOString(),
  };
}
