import { Type } from '@sinclair/typebox';
import {
  type CountedCampaign,
  createCampaign,
  getCampaign,
  listCampaigns,
} from '../../../features/campaigns/campaigns.js';
import { cancelCampaign } from '../../../features/campaigns/cancel.js';
import { MESSAGE_STATUSES } from '../../../messages/status/status.js';
import { invalidField } from '../../../platform/errors.js';
import { CampaignStatus } from '../../../platform/generated/prisma/client.js';
import { parseTimestamp, TIMESTAMP_RULE } from '../../../platform/timestamps.js';
import { LanguageCode, TemplateComponents, TemplateName } from '../../http/openapi/template-schemas.js';
import { RULE } from '../../http/validation.js';
import { channelClaim } from '../idempotent.js';
import {
  answer,
  BodyId,
  bodyId,
  errorsB,
  Id,
  listData,
  listQuery,
  NullableTimestamp,
  ok,
  PathId,
  pageOf,
  pathId,
  type SurfaceBRoutes,
  Timestamp,
} from '../shared.js';

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
  status: Type.Unsafe<CampaignStatus>({ type: 'string', enum: Object.values(CampaignStatus), examples: ['completed'] }),
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

const TAGS = ['Campaigns'];
const OnePath = Type.Object({ id: PathId });

export const campaignRoutes: SurfaceBRoutes = async (app, { deps }) => {
  app.post(
    '/campaigns',
    {
      config: { scope: 'campaigns:write', idempotent: true },
      schema: {
        operationId: 'createCampaign',
        tags: TAGS,
        summary: 'Send a template to every member of a group',
        description:
          'The template must be APPROVED and be given all of its parameters and no other. Members are those of the moment at which the campaign begins; each gets one message.',
        body: CampaignBody,
        response: { 200: answer(Campaign), ...errorsB([404, 422]) },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const { name, templateName, language, components, scheduledAt } = body;
      if (name.trim() === '') throw invalidField('name', 'must not be empty');
      const { campaign, replayed } = await createCampaign(
        deps,
        caller,
        {
          name: name.trim(),
          templateName,
          language,
          components,
          groupId: bodyId(body.groupId, 'groupId'),
          scheduledAt: scheduledAt === undefined ? null : parseTimestamp(scheduledAt, 'scheduledAt'),
        },
        channelClaim(request),
      );
      if (replayed) reply.header('idempotent-replayed', 'true');
      return ok(campaignRecord(campaign));
    },
  );

  app.get(
    '/campaigns',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'listCampaigns',
        tags: TAGS,
        summary: 'List the campaigns of the channel, the newest first',
        querystring: listQuery({
          status: Type.Optional(
            Type.String({ description: 'In any case; an unknown one finds none.', examples: ['completed'] }),
          ),
        }),
        response: { 200: answer(listData('campaigns', Campaign)) },
      },
    },
    async ({ query, caller: { account, channel } }) => {
      const page = pageOf(query);
      const scope = { accountId: account.id, channelId: channel.id };
      const { campaigns, total } = await listCampaigns(deps, scope, { status: query.status, ...page });
      return ok({ campaigns: campaigns.map(campaignRecord), total, ...page });
    },
  );

  app.get(
    '/campaigns/:id',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getCampaign',
        tags: TAGS,
        summary: 'Ask how far a campaign is',
        params: OnePath,
        response: { 200: answer(Campaign) },
      },
    },
    async ({ params, caller: { account, channel } }) => {
      const scope = { accountId: account.id, channelId: channel.id };
      return ok(campaignRecord(await getCampaign(deps, scope, pathId(params.id, 'campaign'))));
    },
  );

  app.post(
    '/campaigns/:id/cancel',
    {
      config: { scope: 'campaigns:write' },
      schema: {
        operationId: 'cancelCampaign',
        tags: TAGS,
        summary: 'Cancel a campaign that is scheduled or running',
        description:
          'Messages that are not with a carrier yet are not sent: they become `canceled` and are refunded. 409 when the campaign has ended.',
        params: OnePath,
        response: { 200: answer(Campaign), ...errorsB([409]) },
      },
    },
    async ({ params, caller: { account, channel } }) => {
      const scope = { accountId: account.id, channelId: channel.id };
      const id = pathId(params.id, 'campaign');
      await cancelCampaign(deps, { id, ...scope });
      return ok(campaignRecord(await getCampaign(deps, scope, id)));
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
    scheduledAt: campaign.scheduledAt?.toISOString() ?? null,
    startedAt: campaign.startedAt?.toISOString() ?? null,
    completedAt: campaign.completedAt?.toISOString() ?? null,
    createdAt: campaign.createdAt.toISOString(),
  };
}
