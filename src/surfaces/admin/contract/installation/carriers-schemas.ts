import { Type } from '@sinclair/typebox';
import { MAX_QUEUED_REPLAYS } from '../../../../carriers/callbacks/unmatched/replay-queue-store.js';
import { BodyId } from '../../../http/ids.js';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { NullableText, NullableTimestamp, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { Version } from '../version-schemas.js';

const Kind = Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] });

/** Settings by name; each is what its description says: a text, a number, true or false. */
const SettingValues = Type.Record(Type.String(), Type.Unknown(), {
  examples: [{ host: 'smsc.example.com', systemId: 'heliograph', password: 'env:SMSC_PASSWORD' }],
});
const SettingNames = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100, examples: [['systemType']] });

export const DescribedSettingData = Type.Object({
  name: Type.String({ examples: ['host'] }),
  kind: Type.Unsafe<'text' | 'number' | 'integer' | 'boolean' | 'json'>({
    type: 'string',
    enum: ['text', 'number', 'integer', 'boolean', 'json'],
    description: 'What its value is.',
  }),
  choices: Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'Null: any value of its kind.' }),
  required: Type.Boolean(),
  default: Type.Union([Type.String(), Type.Null()], { description: 'As JSON; null where there is none.' }),
  secret: Type.Boolean({
    description:
      'It is never shown. It may stand elsewhere, `env:NAME` or `file:/path`, where CARRIER_SECRETS_ENV and CARRIER_SECRETS_FOLDER allow it.',
  }),
  destination: Type.Boolean({
    description: 'It says where secrets are sent, or how who is there is trusted: a change of it must name them again.',
  }),
  description: Type.String(),
});

export const CarrierTypeData = Type.Object({
  type: Type.String({ examples: ['smpp'] }),
  kinds: Type.Array(Kind),
  settings: Type.Array(DescribedSettingData),
  presets: Type.Array(
    Type.Object({
      name: Type.String({ description: 'What the setting `preset` is then.', examples: ['twilio'] }),
      title: Type.String({ examples: ['Twilio'] }),
      help: Type.String({ description: 'What is to be done at the vendor.' }),
      settings: Type.Array(DescribedSettingData, { description: 'In place of those of the type.' }),
    }),
    { description: 'Forms of the type, such as one for each vendor.' },
  ),
  channelSettings: Type.Array(DescribedSettingData, {
    description: 'What a carrier of the type must know of a WhatsApp channel.',
  }),
  logsCalls: Type.Boolean({
    description: 'What its carriers were asked and answered can be read: `/calls` of a carrier.',
  }),
});

const ConnectionData = Type.Object({
  name: Type.String({ examples: ['transceiver 1'] }),
  isUp: Type.Boolean(),
  since: Timestamp,
  lastError: NullableText,
  lastErrorAt: NullableTimestamp,
});

export const ProcessData = Type.Object({
  host: Type.String(),
  pid: Type.Integer(),
  state: Type.Unsafe<'up' | 'limited' | 'down' | 'unusable'>({
    type: 'string',
    enum: ['up', 'limited', 'down', 'unusable'],
    description:
      'It takes messages; it is there but wants to be left alone; it cannot be reached; its settings do not open it.',
  }),
  since: Timestamp,
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is not up.' }),
  connections: Type.Array(ConnectionData),
  ratePerSecond: Type.Number({ description: 'Messages that it took in a second, lately.' }),
  inHand: Type.Integer({ description: 'Messages that were handed to it and that it has not answered.' }),
  lastError: Type.Union([Type.Object({ text: Type.String(), at: Timestamp }), Type.Null()]),
  isFresh: Type.Boolean({ description: 'False: the process hangs or was killed.' }),
  refreshedAt: Timestamp,
});

export const CarrierData = Type.Object({
  name: Type.String({ examples: ['smsc-1'] }),
  type: Type.String({ examples: ['smpp'] }),
  isBuiltIn: Type.Boolean({ description: 'It is always there, and nobody changes it: the simulator.' }),
  isActive: Type.Boolean({ description: 'It is not switched off.' }),
  settings: Type.Record(Type.String(), Type.Unknown(), { description: 'Secrets are `***`, or say where they stand.' }),
  entries: Type.Array(Type.Object({ what: Type.String(), value: Type.String() }), {
    description: 'What is to be entered at the vendor, such as the addresses that it is to call.',
  }),
  unsupported: Type.Array(Type.Object({ field: Type.String(), rule: Type.String() }), {
    description: 'Settings that the carrier works without, because this version does not run them.',
  }),
  waiting: Type.Integer({ description: 'Messages that are due for it, or wait for another try.' }),
  processes: Type.Array(ProcessData, { description: 'How it fares in each process that sends.' }),
  updatedAt: NullableTimestamp,
  version: Version,
});

export const CarrierPath = Type.Object({ name: Type.String({ description: 'Of the carrier.' }) });

const NAME_RULE = 'must be 1 to 40 lower-case letters, digits and hyphens';

export const NewCarrierBody = Type.Object({
  name: Type.String({ maxLength: 100, examples: ['smsc-1'], [RULE]: NAME_RULE }),
  type: Type.String({ maxLength: 100, examples: ['smpp'] }),
  settings: SettingValues,
  isActive: Type.Optional(
    Type.Boolean({ description: 'True unless told. One that is off can be checked before a message goes to it.' }),
  ),
});

export const CarrierChangeBody = Type.Object({
  set: Type.Optional(SettingValues),
  unset: Type.Optional(SettingNames),
  isActive: Type.Optional(Type.Boolean()),
});

export const SavedCarrierData = Type.Pick(CarrierData, [
  'name',
  'type',
  'isActive',
  'settings',
  'updatedAt',
  'version',
]);

export const CheckData = Type.Object({
  ok: Type.Boolean({ description: 'Nothing is wrong.' }),
  steps: Type.Array(
    Type.Object({
      what: Type.String({ description: 'What was tried.', examples: ['the settings'] }),
      problem: Type.Union([Type.String(), Type.Null()], { description: 'Null: it worked.' }),
      setting: Type.Union([Type.String(), Type.Null()], { description: 'Which setting may be to blame.' }),
      isUntried: Type.Boolean({ description: 'Nothing was tried: the text says what may still be wrong.' }),
    }),
  ),
});

export const TryBody = Type.Object({
  from: Type.String({ maxLength: 100, description: 'A sender that the vendor allows.', examples: ['Heliograph'] }),
  to: WrittenPhone('Whom it goes to.'),
  text: Type.String({ maxLength: 10_000, examples: ['A try of Heliograph.'] }),
});

export const TryData = Type.Object({
  ok: Type.Boolean({ description: 'The carrier took the message.' }),
  carrierMessageId: Type.Union([Type.String(), Type.Null()]),
  error: Type.Union([
    Type.Object({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() }),
    Type.Null(),
  ]),
  calls: Type.Array(
    Type.Object({
      method: Type.String({ examples: ['POST'] }),
      url: Type.String(),
      request: Type.Union([Type.String(), Type.Null()], { description: 'What was sent; secrets are `***`.' }),
      status: Type.Union([Type.Integer(), Type.Null()], { description: 'Of the answer; null: none came.' }),
      answer: Type.Union([Type.String(), Type.Null()], { description: 'What came back; secrets are `***`.' }),
      failure: Type.Union([Type.String(), Type.Null()], { description: 'Why no whole answer came.' }),
      milliseconds: Type.Integer(),
    }),
  ),
});

export const CALL_FILTERS = {
  status: Type.Optional(
    Type.Unsafe<'failed'>({
      type: 'string',
      enum: ['failed'],
      description: 'Only calls that got no answer with a status from 200 to 299.',
      [RULE]: 'must be failed',
    }),
  ),
  messageId: Type.Optional(
    Type.String({ description: 'Only calls that were to send this message.', [RULE]: 'must be the id of a message' }),
  ),
};

export const KeptReportEntry = Type.Object({
  id: Type.String(),
  kind: Type.String({ description: "In the carrier's words.", examples: ['field:group_settings_update'] }),
  reason: Type.String({ description: 'Why it is kept.', examples: ['unknown', 'no-channel'] }),
  channelId: Type.Union([Type.String(), Type.Null()], { description: 'Null where no channel is known.' }),
  hasTexts: Type.Boolean({ description: 'Its body is whole, and sealed; without a secret its texts are left out.' }),
  receivedAt: Timestamp,
  isAsked: Type.Boolean({ description: 'It is to be played again, and is kept until that was done.' }),
});

export const ReplayBody = Type.Object(
  {
    id: Type.Optional({
      ...BodyId,
      description: 'Of one report. Left out: all of the carrier, and callbacks that were set aside.',
    }),
  },
  { examples: [{ id: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' }] },
);

export const ReplayData = Type.Object({
  reports: Type.Integer({
    description: `Kept reports that are to be played again: at most ${MAX_QUEUED_REPLAYS}, the oldest.`,
  }),
  callbacks: Type.Integer({ description: 'Callbacks that were set aside, and are to be tried again.' }),
});

export const CallEntry = Type.Object({
  id: Type.String(),
  at: Type.Unsafe<string>({ ...Timestamp, description: 'When it began.' }),
  milliseconds: Type.Integer({ description: 'How long it took.' }),
  messageId: Type.Union([Type.String(), Type.Null()], { description: 'The message that it was to send.' }),
  accountId: Type.Union([Type.String(), Type.Null()], { description: 'Of the message.' }),
  method: Type.String({ examples: ['POST'] }),
  url: Type.String({ examples: ['https://graph.facebook.com/v26.0/106540352242922/messages'] }),
  request: Type.Union([Type.String(), Type.Null()], { description: 'What was sent, shortened; secrets are `***`.' }),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'Of the answer, in HTTP; null: none came.' }),
  answer: Type.Union([Type.String(), Type.Null()], { description: 'Shortened; secrets are `***`.' }),
  failure: Type.Union([Type.String(), Type.Null()], {
    description: 'Why no whole answer came.',
    examples: ['TIMEOUT', 'ECONNREFUSED'],
  }),
  failed: Type.Boolean({ description: 'No answer with a status from 200 to 299.' }),
});
