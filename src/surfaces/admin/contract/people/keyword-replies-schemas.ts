import { Type } from '@sinclair/typebox';
import { Id, NullableText } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';

const TEXT_RULE = 'must be a text or null';
const nullableText = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description, [RULE]: TEXT_RULE });

const IsOn = Type.Boolean({ description: 'Whether channels of the account reply to keywords.' });
const Language = Type.String({ description: 'Language of the default texts.', examples: ['en'] });
const Name = nullableText('The sender in the default texts; null: the name of the account.');
const Contact = nullableText('Where people get help, in the default texts, such as a phone number or e-mail address.');
const Texts = Type.Object({
  stop: Type.Optional(Type.String()),
  start: Type.Optional(Type.String()),
  help: Type.Optional(Type.String()),
});
const SentTexts = Type.Object({ stop: Type.String(), start: Type.String(), help: Type.String() });
const WrittenTexts = Type.Object(
  {
    stop: Type.Optional(nullableText('The reply to STOP; null: the default text.')),
    start: Type.Optional(nullableText('The reply to START; null: the default text.')),
    help: Type.Optional(nullableText('The reply to HELP; null: the default text.')),
  },
  { additionalProperties: false, [RULE]: 'must be an object with texts for stop, start and help' },
);

export const KeywordRepliesData = Type.Object({
  account: Type.Object({
    isOn: IsOn,
    language: Language,
    name: Name,
    contact: Contact,
    texts: { ...Texts, description: 'Texts of the account, which replace the default texts.' },
  }),
  languages: Type.Array(Type.String(), { description: 'Languages of the default texts.' }),
  defaultTexts: { ...SentTexts, description: 'The default texts in the language of the account.' },
  channels: Type.Array(
    Type.Object({
      id: Id,
      channelName: Type.String({ examples: ['Support'] }),
      kind: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] }),
      phoneNumber: Type.String({ examples: ['15005550100'] }),
      isCarrierReplying: Type.Boolean({
        description: 'Whether the carrier replies to STOP, START and HELP itself.',
      }),
      isOn: Type.Union([Type.Boolean(), Type.Null()], {
        description: 'Null: as in the account, unless the carrier replies itself.',
      }),
      language: NullableText,
      name: NullableText,
      contact: NullableText,
      texts: Texts,
      sends: Type.Boolean({ description: 'Whether the channel replies to keywords.' }),
      sentTexts: { ...SentTexts, description: 'The texts that the channel sends.' },
    }),
  ),
});

export const AccountRepliesBody = Type.Object(
  {
    isOn: Type.Optional({ ...IsOn, [RULE]: 'must be true or false' }),
    language: Type.Optional({ ...Language, [RULE]: 'must be a text' }),
    name: Type.Optional(Name),
    contact: Type.Optional(Contact),
    texts: Type.Optional(WrittenTexts),
  },
  { examples: [{ isOn: true, name: 'Acme', contact: 'help@acme.example', language: 'en' }] },
);

export const ChannelRepliesBody = Type.Object(
  {
    isOn: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], {
        description: 'Null: as in the account, unless the carrier replies itself.',
        [RULE]: 'must be true, false or null',
      }),
    ),
    language: Type.Optional(nullableText('Language of the default texts; null: as in the account.')),
    name: Type.Optional(nullableText('The sender in the default texts; null: as in the account.')),
    contact: Type.Optional(nullableText('Where people get help; null: as in the account.')),
    texts: Type.Optional(WrittenTexts),
  },
  { examples: [{ isOn: true, texts: { help: 'Acme: call 1-500-555-0100. Reply STOP to cancel.' } }] },
);
