import { Type } from '@sinclair/typebox';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import type { ChannelSettings } from '../../../carriers/channel-settings.js';
import { createTemplate, type OwnedChannel } from '../../../features/templates/create.js';
import { listTemplates, type Template, TemplateStatus } from '../../../features/templates/list.js';
import { syncTemplates } from '../../../features/templates/sync.js';
import type { OptionsOf } from '../../http/options-of.js';
import { LanguageCode } from '../../http/schemas/templates.js';
import { Id } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { ok } from '../answers.js';
import { scopeOf } from '../channel-auth.js';
import { type Endpoints, endpoint } from '../endpoint.js';

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
    otp_type: text(),
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
    add_security_recommendation: Type.Optional(
      Type.Boolean({ description: 'BODY of AUTHENTICATION.', [RULE]: 'must be true or false' }),
    ),
    code_expiration_minutes: Type.Optional(
      Type.Integer({ description: 'FOOTER of AUTHENTICATION.', [RULE]: 'must be an integer from 1 to 90' }),
    ),
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

export type TemplateOptions = OptionsOf<typeof listTemplates | typeof createTemplate | typeof syncTemplates>;

const read = endpoint('Templates', 'templates:read');
const write = endpoint('Templates', 'templates:write');

export const templateEndpoints: Endpoints<TemplateOptions> = async (app, options) => {
  app.get(
    '/templates',
    read({
      operationId: 'listTemplates',
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
      data: Type.Array(TemplateRecord),
    }),
    async ({ query, caller }) => ok((await listTemplates(options, scopeOf(caller), query.status)).map(writeTemplate)),
  );

  app.post(
    '/templates',
    write({
      operationId: 'createTemplate',
      summary: 'Make a template and hand it in for approval',
      description:
        "It is PENDING until the carrier has decided; a sync fetches the decision. The rules are those of Meta's Cloud API.",
      body: DraftBody,
      data: TemplateRecord,
      errors: [409],
    }),
    async ({ body, caller }) => ok(writeTemplate(await createTemplate(options, owned(caller), body))),
  );

  app.post(
    '/templates/sync',
    write({
      operationId: 'syncTemplates',
      summary: "Take over the carrier's templates and decisions",
      description: 'Templates that the carrier no longer has become DISABLED.',
      data: SyncData,
    }),
    async ({ caller }) => {
      const counts = await syncTemplates(options, owned(caller));
      return ok({ ...counts, templates: (await listTemplates(options, scopeOf(caller))).map(writeTemplate) });
    },
  );
};

function owned({ account, channel }: ChannelCaller): OwnedChannel {
  const { id, kind, phoneNumber, carrier, carrierSettings } = channel;
  return {
    id,
    kind,
    phoneNumber,
    carrier,
    carrierSettings: carrierSettings as ChannelSettings | null,
    accountId: account.id,
  };
}

function writeTemplate({ id, name, status, language, category, components }: Template) {
  return { id, name, status, language, category, components: components as Record<string, unknown>[] };
}
