import { Type } from '@sinclair/typebox';
import { nullable, SID, text } from './message-schemas.js';

const EXAMPLE_DATE = '2026-11-24T08:30:00Z';

/** The parameters of a verification. Those that change nothing of what is sent are taken and mean nothing here. */
export const VerificationBody = Type.Object(
  {
    To: text('The recipient in E.164.', '+15005550111'),
    Channel: text('`sms`, or `whatsapp` where the service has a template.', 'sms'),
    Locale: text('Language of the text; else that of the service.', 'de'),
    CustomFriendlyName: text('What the code is for, instead of the name of the service.', 'Acme'),
    AppHash: text('Hash of an app on Android, which reads the SMS.', 'FA+9qCX9VSu'),
    CustomCode: text('Refused: codes are made here.', ''),
    CustomMessage: text("Refused: the text is the service's.", ''),
    Amount: text('Refused: texts name no payment.', ''),
    Payee: text('Refused: texts name no payment.', ''),
  },
  { examples: [{ To: '+15005550111', Channel: 'sms' }] },
);

export const VerificationUpdate = Type.Object(
  { Status: text('`canceled`, or `approved` where it was checked by other means.', 'canceled') },
  { examples: [{ Status: 'canceled' }] },
);

export const CheckBody = Type.Object(
  {
    Code: text('What the recipient entered.', '123456'),
    To: text('The recipient in E.164; or VerificationSid.', '+15005550111'),
    VerificationSid: text('`VE` and the id of the verification.', `VE${SID}`),
    Amount: text('Refused: codes name no payment.', ''),
    Payee: text('Refused: codes name no payment.', ''),
  },
  { examples: [{ To: '+15005550111', Code: '123456' }] },
);

export type VerifyStatus = 'pending' | 'approved' | 'canceled';

const COMMON = {
  sid: Type.String({ examples: [`VE${SID}`] }),
  service_sid: Type.String({ examples: [`VA${SID}`] }),
  account_sid: Type.String({ examples: [`AC${SID}`] }),
  to: Type.String({ examples: ['+15005550111'] }),
  channel: Type.String({ description: 'By which it was sent last.', examples: ['sms'] }),
  status: Type.Unsafe<VerifyStatus>({ type: 'string', enum: ['pending', 'approved', 'canceled'] }),
  valid: Type.Boolean({ description: 'Whether it is approved.' }),
  amount: nullable(Type.String()),
  payee: nullable(Type.String()),
  date_created: Type.String({ description: 'ISO 8601, in UTC.', examples: [EXAMPLE_DATE] }),
  date_updated: Type.String({ description: 'ISO 8601, in UTC.', examples: [EXAMPLE_DATE] }),
};

/** A verification, as Twilio's Verify API has it. */
export const VerificationResource = Type.Object({
  ...COMMON,
  lookup: Type.Object({}, { description: 'Empty: numbers are not looked up.' }),
  send_code_attempts: Type.Array(
    Type.Object({
      attempt_sid: Type.String({ description: '`VL` and the id of the message.', examples: [`VL${SID}`] }),
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

/** A check, as Twilio's Verify API has it. */
export const CheckResource = Type.Object({
  ...COMMON,
  sna_attempts_error_codes: Type.Array(Type.Object({}), { description: 'Empty.' }),
});
