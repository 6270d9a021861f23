import { Type } from '@sinclair/typebox';
import { MAX_QUEUED_REPLAYS } from '../../../../carriers/callbacks/unmatched/replay-queue-store.js';
import { BodyId } from '../../../http/ids.js';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { NullableText, NullableTimestamp, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { Version } from '../version-schemas.js';

const Kind = Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] });

const SettingValues = Type.Record(Type.String(), Type.Unknown(), {
  examples: [{ host: 'smsc.example.com', systemId: 'heliograph', password: 'env:SMSC_PASSWORD' }],
});
const SettingNames = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100, examples: [['systemType']] });

export const DescribedSettingData = Type.Object({
  name: Type.String({ examples: ['host'] }),
  kind: Type.Unsafe<'text' | 'number' | 'integer' | 'boolean' | 'json'>({
    type: 'string',
    enum: ['text', 'number', 'integer', 'boolean', 'json'],
    description: 'The type of the value.',
  }),
  choices: Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'Null allows any value of the type.' }),
  required: Type.Boolean(),
  default: Type.Union([Type.String(), Type.Null()], { description: 'As JSON; null if there is none.' }),
  secret: Type.Boolean({
    description:
      'Secret, and never shown. The value may be a reference, `env:NAME` or `file:/path`, if CARRIER_SECRETS_ENV and CARRIER_SECRETS_FOLDER allow it.',
  }),
  destination: Type.Boolean({
    description:
      'Determines where secrets are sent or which server is trusted. When it changes, all secrets must be entered again.',
  }),
  description: Type.String(),
});

export const CarrierTypeData = Type.Object({
  type: Type.String({ examples: ['smpp'] }),
  kinds: Type.Array(Kind),
  settings: Type.Array(DescribedSettingData),
  presets: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Value of the setting `preset`.', examples: ['twilio'] }),
      title: Type.String({ examples: ['Twilio'] }),
      help: Type.String({ description: 'Steps to take at the vendor.' }),
      settings: Type.Array(DescribedSettingData, { description: 'Replaces the settings of the type.' }),
    }),
    { description: 'Variants of the type, such as one per vendor.' },
  ),
  channelSettings: Type.Array(DescribedSettingData, {
    description: 'Settings of a WhatsApp channel that a carrier of this type needs.',
  }),
  logsCalls: Type.Boolean({
    description: 'Whether requests to the carrier and its responses are logged: `/calls` of a carrier.',
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
      '`up`: accepts messages; `limited`: reachable, but asked us to slow down; `down`: unreachable; `unusable`: its settings are invalid.',
  }),
  since: Timestamp,
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is not `up`.' }),
  connections: Type.Array(ConnectionData),
  ratePerSecond: Type.Number({ description: 'Messages per second that it accepted recently.' }),
  inHand: Type.Integer({ description: 'Submitted messages that the carrier has not accepted or refused yet.' }),
  lastError: Type.Union([Type.Object({ text: Type.String(), at: Timestamp }), Type.Null()]),
  isFresh: Type.Boolean({ description: 'False if the process hangs or was killed.' }),
  refreshedAt: Timestamp,
});

export const CarrierData = Type.Object({
  name: Type.String({ examples: ['smsc-1'] }),
  type: Type.String({ examples: ['smpp'] }),
  isBuiltIn: Type.Boolean({ description: 'The simulator, which always exists and cannot be changed.' }),
  isActive: Type.Boolean({ description: 'Whether the carrier is enabled.' }),
  settings: Type.Record(Type.String(), Type.Unknown(), { description: 'Secrets are `***` or a reference.' }),
  entries: Type.Array(Type.Object({ what: Type.String(), value: Type.String() }), {
    description: 'Values to enter at the vendor, such as the callback URLs.',
  }),
  unsupported: Type.Array(Type.Object({ field: Type.String(), rule: Type.String() }), {
    description: 'Settings that this version does not support and ignores.',
  }),
  waiting: Type.Integer({ description: 'Messages for this carrier that are due or wait for another attempt.' }),
  processes: Type.Array(ProcessData, { description: 'Its state in each sending process.' }),
  updatedAt: NullableTimestamp,
  version: Version,
});

export const CarrierPath = Type.Object({ name: Type.String({ description: 'Name of the carrier.' }) });

const NAME_RULE = 'must be 1 to 40 lower-case letters, digits and hyphens';

export const NewCarrierBody = Type.Object({
  name: Type.String({ maxLength: 100, examples: ['smsc-1'], [RULE]: NAME_RULE }),
  type: Type.String({ maxLength: 100, examples: ['smpp'] }),
  settings: SettingValues,
  isActive: Type.Optional(
    Type.Boolean({ description: 'Default: true. A disabled carrier can be checked before it gets messages.' }),
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
  ok: Type.Boolean({ description: 'Whether all steps succeeded.' }),
  steps: Type.Array(
    Type.Object({
      what: Type.String({ description: 'The checked part.', examples: ['the settings'] }),
      problem: Type.Union([Type.String(), Type.Null()], { description: 'Null if the step succeeded.' }),
      setting: Type.Union([Type.String(), Type.Null()], { description: 'The setting that may cause the problem.' }),
      isUntried: Type.Boolean({ description: 'The step was not tried; `problem` describes what may still be wrong.' }),
    }),
  ),
});

export const TryBody = Type.Object({
  from: Type.String({ maxLength: 100, description: 'A sender that the vendor allows.', examples: ['Heliograph'] }),
  to: WrittenPhone('The recipient.'),
  text: Type.String({ maxLength: 10_000, examples: ['A test message from Heliograph.'] }),
});

export const TryData = Type.Object({
  ok: Type.Boolean({ description: 'Whether the carrier accepted the message.' }),
  carrierMessageId: Type.Union([Type.String(), Type.Null()]),
  error: Type.Union([
    Type.Object({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() }),
    Type.Null(),
  ]),
  calls: Type.Array(
    Type.Object({
      method: Type.String({ examples: ['POST'] }),
      url: Type.String(),
      request: Type.Union([Type.String(), Type.Null()], { description: 'The request; secrets are `***`.' }),
      status: Type.Union([Type.Integer(), Type.Null()], { description: 'HTTP status; null if there was no response.' }),
      answer: Type.Union([Type.String(), Type.Null()], { description: 'The response; secrets are `***`.' }),
      failure: Type.Union([Type.String(), Type.Null()], { description: 'Why there was no complete response.' }),
      milliseconds: Type.Integer(),
    }),
  ),
});

export const CALL_FILTERS = {
  status: Type.Optional(
    Type.Unsafe<'failed'>({
      type: 'string',
      enum: ['failed'],
      description: 'Only failed calls: without a response, or with a status outside 200 to 299.',
      [RULE]: 'must be failed',
    }),
  ),
  messageId: Type.Optional(
    Type.String({ description: 'Only calls that submitted this message.', [RULE]: 'must be the id of a message' }),
  ),
};

export const KeptReportEntry = Type.Object({
  id: Type.String(),
  kind: Type.String({ description: "The carrier's name for it.", examples: ['field:group_settings_update'] }),
  reason: Type.String({ description: 'Why it could not be processed.', examples: ['unknown', 'no-channel'] }),
  channelId: Type.Union([Type.String(), Type.Null()], { description: 'Null if no channel could be determined.' }),
  hasTexts: Type.Boolean({
    description: 'Whether the whole body is stored, encrypted. Without a secret, its texts are removed.',
  }),
  receivedAt: Timestamp,
  isAsked: Type.Boolean({ description: 'Queued to be processed again.' }),
});

export const ReplayBody = Type.Object(
  {
    id: Type.Optional({
      ...BodyId,
      description: 'A single report. Absent: all reports of the carrier, and callbacks that were set aside.',
    }),
  },
  { examples: [{ id: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' }] },
);

export const ReplayData = Type.Object({
  reports: Type.Integer({
    description: `Reports to be processed again: at most ${MAX_QUEUED_REPLAYS}, oldest first.`,
  }),
  callbacks: Type.Integer({ description: 'Callbacks that were set aside and will be processed again.' }),
});

export const CallEntry = Type.Object({
  id: Type.String(),
  at: Type.Unsafe<string>({ ...Timestamp, description: 'Start time.' }),
  milliseconds: Type.Integer({ description: 'Duration.' }),
  messageId: Type.Union([Type.String(), Type.Null()], { description: 'The submitted message.' }),
  accountId: Type.Union([Type.String(), Type.Null()], { description: 'The account of the message.' }),
  method: Type.String({ examples: ['POST'] }),
  url: Type.String({ examples: ['https://graph.facebook.com/v26.0/106540352242922/messages'] }),
  request: Type.Union([Type.String(), Type.Null()], { description: 'The request, shortened; secrets are `***`.' }),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'HTTP status; null if there was no response.' }),
  answer: Type.Union([Type.String(), Type.Null()], { description: 'The response, shortened; secrets are `***`.' }),
  failure: Type.Union([Type.String(), Type.Null()], {
    description: 'Why there was no complete response.',
    examples: ['TIMEOUT', 'ECONNREFUSED'],
  }),
  failed: Type.Boolean({ description: 'There was no response, or its status was outside 200 to 299.' }),
});
