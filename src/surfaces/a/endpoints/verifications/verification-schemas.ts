import { Type } from '@sinclair/typebox';
import { DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS } from '../../../../features/verifications/limits.js';
import {
  ANDROID_HASH_PATTERN,
  ANDROID_HASH_RULE,
  APP_NAME_PATTERN,
  APP_NAME_RULE,
  LANGUAGES,
  LOCALE_PATTERN,
  LOCALE_RULE,
  MAX_APP_NAME_LENGTH,
  MAX_LOCALE_LENGTH,
} from '../../../../features/verifications/texts.js';
import { Id, Timestamp } from '../../../http/schemas/values.js';
import { NULL_IS_ABSENT, RULE } from '../../../http/validation.js';
import { LanguageCode } from '../../../resources/records/templates.js';
import { CALLBACK, NOTES } from '../notes-schemas.js';
import { SenderId } from '../v1-schemas.js';

const To = Type.String({
  maxLength: 18,
  description:
    'The number with country code, digits only. If the account has a default country, national numbers are accepted too.',
  examples: ['15005550111'],
  [RULE]: 'must be a phone number of at most 18 characters, as a string',
});

export const VerificationSchema = Type.Object(
  {
    to: To,
    from: SenderId,
    channel: Type.Optional(
      Type.Unsafe<'sms' | 'whatsapp'>({
        type: 'string',
        enum: ['sms', 'whatsapp'],
        default: 'sms',
        [RULE]: 'must be sms or whatsapp',
      }),
    ),
    app_name: Type.String({
      minLength: 1,
      maxLength: MAX_APP_NAME_LENGTH,
      pattern: APP_NAME_PATTERN,
      description: 'The name of your service, as it appears in the text.',
      examples: ['Acme'],
      [RULE]: APP_NAME_RULE,
    }),
    digits: Type.Optional(
      Type.Integer({
        minimum: MIN_DIGITS,
        maximum: MAX_DIGITS,
        default: DEFAULT_DIGITS,
        description: 'Number of digits of a new code. A code that is still valid keeps its length.',
        [RULE]: `must be an integer from ${MIN_DIGITS} to ${MAX_DIGITS}`,
      }),
    ),
    locale: Type.Optional(
      Type.String({
        pattern: LOCALE_PATTERN,
        maxLength: MAX_LOCALE_LENGTH,
        default: 'en',
        description: `Language of the SMS: ${LANGUAGES.join(', ')}. For any other language, the SMS is in English.`,
        examples: ['de'],
        [RULE]: LOCALE_RULE,
      }),
    ),
    android_hash: Type.Optional(
      Type.String({
        pattern: ANDROID_HASH_PATTERN,
        description: 'Hash that lets your Android app read the SMS (SMS Retriever).',
        examples: ['FA+9qCX9VSu'],
        [RULE]: ANDROID_HASH_RULE,
      }),
    ),
    domain: Type.Optional(
      Type.String({
        pattern: '^(?=.{1,60}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$',
        description: 'Domain of the page where a browser fills in the code (WebOTP).',
        examples: ['example.com'],
        [RULE]: 'must be a lower-case domain of at most 60 characters',
      }),
    ),
    template_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'For the channel whatsapp: ID or name of an authentication template.',
        examples: ['sign_in'],
        [RULE]: 'must be a string of 1 to 512 characters',
      }),
    ),
    template_language: Type.Optional(LanguageCode),
    fallback: Type.Optional(
      Type.Object(
        {
          channel: Type.Unsafe<'sms'>({ type: 'string', enum: ['sms'], [RULE]: 'must be sms' }),
          from: SenderId,
        },
        {
          description:
            'For the channel whatsapp: sends the same code by SMS if WhatsApp fails while the code is valid.',
          [RULE]: 'must be an object with channel and from',
        },
      ),
    ),
    ...NOTES,
    ...CALLBACK,
  },
  { [NULL_IS_ABSENT]: true, examples: [{ to: '15005550111', from: 'Acme', app_name: 'Acme', locale: 'en' }] },
);

const answer = <D extends object>(data: D) => ({
  status: Type.Literal('success'),
  message: Type.String(),
  code: Type.Integer({ examples: [200] }),
  data,
});

export const VerificationAnswer = Type.Object(
  answer(
    Type.Object({
      id: Id,
      status: Type.Literal('pending'),
      to: Type.String(),
      channel: Type.String({ examples: ['sms'] }),
      expires_at: Timestamp,
      sends: Type.Integer({ description: 'How often this code was sent, including now.', examples: [1] }),
      message_id: Id,
    }),
  ),
);

export const CheckSchema = Type.Object(
  {
    to: To,
    code: Type.String({
      pattern: `^\\d{${MIN_DIGITS},${MAX_DIGITS}}$`,
      examples: ['123456'],
      [RULE]: `must be ${MIN_DIGITS} to ${MAX_DIGITS} digits, as a string`,
    }),
  },
  { examples: [{ to: '15005550111', code: '123456' }] },
);

export const CheckAnswer = Type.Object(
  answer(
    Type.Object({
      id: Id,
      status: Type.Unsafe<'pending' | 'approved'>({ type: 'string', enum: ['pending', 'approved'] }),
      valid: Type.Boolean({ description: 'Whether the code is correct. A code is accepted only once.' }),
      to: Type.String(),
      checks_left: Type.Integer({ description: 'Remaining checks within ten minutes.', examples: [4] }),
    }),
  ),
);
