import { Type } from '@sinclair/typebox';
import { nullable, SID, text } from './message-schemas.js';

const EXAMPLE_DATE = '2026-11-24T08:30:00Z';

export const VerificationBody = Type.Object(
  {
    To: text('The recipient in E.164 format.', '+15005550111'),
    Channel: text('`sms`, or `whatsapp` if the service has a template.', 'sms'),
    Locale: text('Language of the text. Default: the language of the service.', 'de'),
    CustomFriendlyName: text('Name in the text, instead of the name of the service.', 'Acme'),
    AppHash: text('Hash that lets an Android app read the SMS.', 'FA+9qCX9VSu'),
    CustomCode: text('Refused: codes are generated here.', ''),
    CustomMessage: text('Refused: the service defines the text.', ''),
    Amount: text('Refused: payments are not supported.', ''),
    Payee: text('Refused: payments are not supported.', ''),
  },
  { examples: [{ To: '+15005550111', Channel: 'sms' }] },
);

export const VerificationUpdate = Type.Object(
  { Status: text('`canceled`, or `approved` if the code was checked elsewhere.', 'canceled') },
  { examples: [{ Status: 'canceled' }] },
);

export const CheckBody = Type.Object(
  {
    Code: text('The code entered by the recipient.', '123456'),
    To: text('The recipient in E.164 format. Or send VerificationSid.', '+15005550111'),
    VerificationSid: text('SID of the verification: `VE` and its ID without hyphens.', `VE${SID}`),
    Amount: text('Refused: payments are not supported.', ''),
    Payee: text('Refused: payments are not supported.', ''),
  },
  { examples: [{ To: '+15005550111', Code: '123456' }] },
);

export type VerifyStatus = 'pending' | 'approved' | 'canceled';

const COMMON = {
  sid: Type.String({ examples: [`VE${SID}`] }),
  service_sid: Type.String({ examples: [`VA${SID}`] }),
  account_sid: Type.String({ examples: [`AC${SID}`] }),
  to: Type.String({ examples: ['+15005550111'] }),
  channel: Type.String({ description: 'The channel of the last message.', examples: ['sms'] }),
  status: Type.Unsafe<VerifyStatus>({ type: 'string', enum: ['pending', 'approved', 'canceled'] }),
  valid: Type.Boolean({ description: 'Whether the status is `approved`.' }),
  amount: nullable(Type.String()),
  payee: nullable(Type.String()),
  date_created: Type.String({ description: 'ISO 8601, in UTC.', examples: [EXAMPLE_DATE] }),
  date_updated: Type.String({ description: 'ISO 8601, in UTC.', examples: [EXAMPLE_DATE] }),
};

export const VerificationResource = Type.Object({
  ...COMMON,
  lookup: Type.Object({}, { description: 'Always empty: numbers are not looked up.' }),
  send_code_attempts: Type.Array(
    Type.Object({
      attempt_sid: Type.String({ description: '`VL` and the ID of the message.', examples: [`VL${SID}`] }),
      channel: Type.String({ examples: ['sms'] }),
      time: Type.String({ examples: [EXAMPLE_DATE] }),
    }),
  ),
  sna: Type.Null(),
  url: Type.String({
    description: 'Relative to the server.',
    examples: [`/v2/Services/VA${SID}/Verifications/VE${SID}`],
  }),
});

export const CheckResource = Type.Object({
  ...COMMON,
  sna_attempts_error_codes: Type.Array(Type.Object({}), { description: 'Always empty.' }),
});
