import { Type } from '@sinclair/typebox';
import {
  CAMPAIGN_STATUSES,
  type CampaignStatus,
  type CountedCampaign,
  createCampaign,
  getCampaign,
  listCampaigns,
} from '../../../features/campaigns/campaigns.js';
import { cancelCampaign } from '../../../features/campaigns/cancel.js';
import { MESSAGE_STATUSES } from '../../../messages/status/status.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { parseTimestamp, TIMESTAMP_RULE } from '../../../platform/timestamps.js';
import { noteReplay } from '../../http/idempotency-key.js';
import type { OptionsOf } from '../../http/options-of.js';
import { LanguageCode, TemplateComponents, TemplateName } from '../../http/schemas/templates.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { iso, NullableTimestamp, ok } from '../answers.js';
import { scopeOf } from '../channel-auth.js';
import { channelClaim } from '../channel-claim.js';
import { type Endpoints, endpoint } from '../endpoint.js';
import { BodyId, bodyId, OnePath, pathId } from '../ids.js';
import { listByStatus, listOf } from '../lists.js';

const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  examples: ['Spring sale'],
  [RULE]: 'must be a text of 1 to 255 characters',
});

const CampaignBody = Type.Object(
  {
    name: Name,
    templateName: TemplateName,
    language: LanguageCode,
    groupId: BodyId,
    components: Type.Optional(TemplateComponents),
    scheduledAt: Type.Optional(
      Type.String({
        description: 'When it begins: ISO 8601 with a time zone. Without it, and when it is past: at once.',
        examples: ['2026-12-01T08:00:00.000Z'],
        [RULE]: TIMESTAMP_RULE,
      }),
    ),
  },
  {
    examples: [
      {
        name: 'Spring sale',
        templateName: 'hello_world',
        language: 'en_US',
        groupId: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55',
        scheduledAt: '2026-12-01T08:00:00.000Z',
      },
    ],
  },
);

const Campaign = Type.Object({
  id: Id,
  name: Type.String(),
  status: Type.Unsafe<CampaignStatus>({ type: 'string', enum: [...CAMPAIGN_STATUSES], examples: ['completed'] }),
  templateName: Type.String(),
  language: Type.String(),
  groupId: Id,
  messageCount: Type.Integer({ description: 'Members whose messages are made.' }),
  counts: Type.Object(Object.fromEntries(MESSAGE_STATUSES.map((status) => [status, Type.Integer()])), {
    description: 'Messages by status. In a list they may be as old as a hundredth of the age of the campaign.',
  }),
  errorMessage: Type.Union([Type.String(), Type.Null()], { description: 'Why it is `failed`.' }),
  scheduledAt: NullableTimestamp,
  startedAt: NullableTimestamp,
  completedAt: NullableTimestamp,
  createdAt: Timestamp,
});

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
        'The template must be APPROVED and be given all of its parameters and no other. Members are those of the moment at which the campaign begins; each gets one message.',
      body: CampaignBody,
      data: Campaign,
      errors: [404, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      const { templateName, language, components, scheduledAt } = body;
      const name = body.name.trim();
      if (name === '') throw invalidField('name', 'must not be empty');
      const asked = {
        name,
        templateName,
        language,
        components,
        groupId: bodyId(body.groupId, 'groupId'),
        scheduledAt: scheduledAt === undefined ? null : parseTimestamp(scheduledAt, 'scheduledAt'),
      };
      const { campaign, replayed } = await createCampaign(options, caller, asked, channelClaim(request));
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

function campaignRecord(campaign: CountedCampaign) {
  const { id, name, status, templateName, language, groupId, messageCount, messages, errorMessage } = campaign;
  return {
    id,
    name,
    status,
    templateName,
    language,
    groupId,
    messageCount,
    counts: messages,
    errorMessage,
    scheduledAt: iso(campaign.scheduledAt),
    startedAt: iso(campaign.startedAt),
    completedAt: iso(campaign.completedAt),
    createdAt: campaign.createdAt.toISOString(),
  };
}
