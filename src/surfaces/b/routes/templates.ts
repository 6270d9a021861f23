import { Type } from '@sinclair/typebox';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import type { ChannelSettings } from '../../../carriers/channel-settings.js';
import { createTemplate, type OwnedChannel } from '../../../features/templates/create.js';
import { syncTemplates } from '../../../features/templates/sync.js';
import { type Template, TemplateStatus } from '../../../platform/generated/prisma/client.js';
import { LanguageCode } from '../../http/openapi/template-schemas.js';
import { RULE } from '../../http/validation.js';
import { answer, errorsB, Id, ok, type SurfaceBRoutes } from '../shared.js';

const Component = Type.Object({}, { additionalProperties: true });

const TemplateRecord = Type.Object({
  id: Id,
  name: Type.String({ examples: ['order_update'] }),
  status: Type.Enum(TemplateStatus, { examples: ['APPROVED'] }),
  language: Type.String({ examples: ['en_US'] }),
  category: Type.String({ examples: ['MARKETING'] }),
  components: Type.Array(Component, { description: "Meta's components." }),
});

const CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;

const text = (rule = 'must be a string') => Type.Optional(Type.String({ maxLength: 4096, [RULE]: rule }));

const Button = Type.Object(
  {
    type: Type.String({ maxLength: 64, examples: ['QUICK_REPLY'], [RULE]: 'must be a string' }),
    text: text(),
    url: text(),
    phone_number: text(),
    example: Type.Optional(
      Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        items: { type: 'string' },
        maxItems: 10,
        [RULE]: 'must be a string or an array of strings',
      }),
    ),
  },
  { [RULE]: 'must be an object with type' },
);

const DraftComponent = Type.Object(
  {
    type: Type.String({
      maxLength: 64,
      description: '`HEADER`, `BODY`, `FOOTER` or `BUTTONS`.',
      examples: ['BODY'],
      [RULE]: 'must be HEADER, BODY, FOOTER or BUTTONS',
    }),
    format: text(),
    text: text(),
    buttons: Type.Optional(Type.Array(Button, { maxItems: 10, [RULE]: 'must be an array of 1 to 10 buttons' })),
    example: Type.Optional(Type.Object({}, { [RULE]: 'must be an object' })),
  },
  { [RULE]: 'must be an object with type' },
);

const DraftBody = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9_]{1,512}$',
      examples: ['order_update'],
      [RULE]: 'must be 1 to 512 lower-case letters, digits and underscores',
    }),
    language: LanguageCode,
    category: Type.Unsafe<(typeof CATEGORIES)[number]>({
      type: 'string',
      enum: [...CATEGORIES],
      [RULE]: 'must be MARKETING, UTILITY or AUTHENTICATION',
    }),
    components: Type.Array(DraftComponent, {
      minItems: 1,
      maxItems: 4,
      [RULE]: 'must be an array of 1 to 4 objects',
    }),
  },
  {
    examples: [
      {
        name: 'order_update',
        language: 'en_US',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.' }],
      },
    ],
  },
);

const SyncData = Type.Object({
  added: Type.Integer(),
  updated: Type.Integer(),
  disabled: Type.Integer({ description: 'Templates that the carrier no longer has.' }),
  templates: Type.Array(TemplateRecord),
});

export const templateRoutes: SurfaceBRoutes = async (app, { deps }) => {
  /** Newest first. An unknown status has none. */
  const list = async ({ account, channel }: ChannelCaller, status?: string) => {
    const wanted = status?.toUpperCase();
    if (wanted !== undefined && !isStatus(wanted)) return [];
    const templates = await deps.prisma.template.findMany({
      where: { accountId: account.id, channelId: channel.id, status: wanted },
      orderBy: { id: 'desc' },
    });
    return templates.map(writeTemplate);
  };

  app.get(
    '/templates',
    {
      config: { scope: 'templates:read' },
      schema: {
        operationId: 'listTemplates',
        tags: ['Templates'],
        summary: 'List the templates of the channel',
        description: 'All of them, the newest first.',
        querystring: Type.Object({
          status: Type.Optional(
            Type.String({
              description: 'Only those with this status, whatever its case; an unknown one gives an empty list.',
              examples: ['APPROVED'],
            }),
          ),
        }),
        response: { 200: answer(Type.Array(TemplateRecord)) },
      },
    },
    async ({ query, caller }) => ok(await list(caller, query.status)),
  );

  app.post(
    '/templates',
    {
      config: { scope: 'templates:write' },
      schema: {
        operationId: 'createTemplate',
        tags: ['Templates'],
        summary: 'Make a template and hand it in for approval',
        description:
          "It is PENDING until the carrier has decided; a sync fetches the decision. The rules are those of Meta's Cloud API.",
        body: DraftBody,
        response: { 200: answer(TemplateRecord), ...errorsB([409]) },
      },
    },
    async ({ body, caller }) => ok(writeTemplate(await createTemplate(deps, owned(caller), body))),
  );

  app.post(
    '/templates/sync',
    {
      config: { scope: 'templates:write' },
      schema: {
        operationId: 'syncTemplates',
        tags: ['Templates'],
        summary: "Take over the carrier's templates and decisions",
        description: 'Templates that the carrier no longer has become DISABLED.',
        response: { 200: answer(SyncData) },
      },
    },
    async ({ caller }) => {
      const counts = await syncTemplates(deps, owned(caller));
      return ok({ ...counts, templates: await list(caller) });
    },
  );
};

function isStatus(text: string): text is TemplateStatus {
  return Object.hasOwn(TemplateStatus, text);
}

function owned({ account, channel }: ChannelCaller): OwnedChannel {
  const { id, phoneNumber, carrier, carrierSettings } = channel;
  return {
    id,
    phoneNumber,
    carrier,
    carrierSettings: carrierSettings as ChannelSettings | null,
    accountId: account.id,
  };
}

function writeTemplate({ id, name, status, language, category, components }: Template) {
  return { id, name, status, language, category, components: components as Record<string, unknown>[] };
}
