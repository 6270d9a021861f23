import { Type } from '@sinclair/typebox';
import { HOOK_TYPES, type HookType } from '../../../../features/verifications/services/hook-proofs.js';
import { Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';

const TYPES = ['verify', ...HOOK_TYPES] as const;
const ServiceType = Type.Unsafe<'verify' | HookType>({
  type: 'string',
  enum: [...TYPES],
  description: "Who asks: programs by Twilio's Verify API, or the hook of a login system.",
  [RULE]: `must be one of ${TYPES.join(', ')}`,
});
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const text = (description: string, example: string, maxLength: number) =>
  Type.String({
    maxLength,
    description,
    examples: [example],
    [RULE]: `must be a text of at most ${maxLength} characters`,
  });

const SERVICE = {
  id: Type.String({ format: 'uuid' }),
  type: ServiceType,
  appName: Type.String({ examples: ['Acme'] }),
  sender: Type.String({ examples: ['Acme'] }),
  locale: nullable('Of the text; null: the request says it, or it is English.'),
  digits: Type.Integer({ examples: [6] }),
  whatsappFrom: nullable('Number of the channel that it goes by first.'),
  template: nullable('The authentication template of that.'),
  path: Type.String({ description: 'Below the address of the server: what is called.' }),
  serviceSid: nullable("For Twilio's SDKs; null of hooks."),
  hasSecret: Type.Boolean({ description: 'Of hooks: whether it takes anything yet.' }),
  createdAt: Timestamp,
};

export const ServiceData = Type.Object(SERVICE);

/** A service with the secret of its hook, which is told this once. */
export const MadeServiceData = Type.Object({
  ...SERVICE,
  secret: nullable('Null where there is none, or the login system makes it.'),
});

const Secret = Type.Optional(text('That the login system made; without it one is made.', 'v1,whsec_…', 512));

export const NewServiceBody = Type.Object(
  {
    type: ServiceType,
    appName: text('What the codes are for.', 'Acme', 30),
    sender: text('Sender ID of SMS.', 'Acme', 18),
    locale: Type.Optional(text('Language tag.', 'de', 35)),
    digits: Type.Optional(Type.Integer({ examples: [6], [RULE]: 'must be an integer' })),
    whatsappFrom: Type.Optional(text('Number of a WhatsApp channel, to go by WhatsApp first.', '4915112345678', 20)),
    template: Type.Optional(text('Id or name of an authentication template.', 'sign_in', 512)),
    templateLanguage: Type.Optional(text('Its language.', 'en_US', 20)),
    secret: Secret,
  },
  { examples: [{ type: 'supabase', appName: 'Acme', sender: 'Acme' }] },
);

export const ServiceSecretBody = Type.Object({ secret: Secret }, { examples: [{}] });

export const CountsQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 365, default: 7, [RULE]: 'must be an integer from 1 to 365' }),
  ),
});

export const CodeCountsData = Type.Object({
  callingCode: Type.String({ examples: ['44'] }),
  codes: Type.Integer({ description: 'That are checked here.' }),
  sent: Type.Integer({ description: 'How often these were sent.' }),
  checked: Type.Integer(),
  approved: Type.Integer(),
  passedOn: Type.Integer({ description: 'Sends of codes that login systems check themselves.' }),
});
