import { Type } from '@sinclair/typebox';
import type { RichType } from '../../../messages/compose/rich.js';
import { MAX_RECIPIENTS } from '../../../messages/compose/v1.js';
import type { SendV2Body } from '../../../messages/compose/v2-plan.js';
import { PURPOSE } from '../../http/schemas/purpose.js';
import { Id } from '../../http/schemas/values.js';
import { NULL_IS_ABSENT, ONE_OF_FIELDS, RULE } from '../../http/validation.js';
import { ALTERNATIVE_TARGETS, TARGET_FIELDS, WHATSAPP_PERSON } from '../../resources/people/people.js';
import { LanguageCode, TemplateComponents } from '../../resources/records/templates.js';
import { RICH_FIELDS, RichTypeSchema } from '../../resources/sends/rich-messages.js';
import { CALLBACK, NOTES } from './notes-schemas.js';
import { Priority, ScheduledAt, ValidityPeriod, ValidUntil } from './sending-schemas.js';
import { SenderId, SentEntry } from './v1-schemas.js';

const TO_RULE = `must be a phone number of at most 18 characters, or an array of 1 to ${MAX_RECIPIENTS} of them`;

const To = Type.String({
  maxLength: 18,
  examples: ['15005550111'],
  [RULE]: 'must be a phone number of at most 18 characters, as a string',
});

const TemplateData = Type.Object(
  {
    type: Type.Optional(
      Type.String({
        description: '`image` or `document`, together with media_url.',
        examples: ['image', 'document'],
        [RULE]: 'must be a string',
      }),
    ),
    name: Type.Optional(
      Type.String({
        description: 'Name of the template; takes precedence over template_id.',
        minLength: 1,
        maxLength: 512,
        [RULE]: 'must be a string of 1 to 512 characters',
      }),
    ),
    language: Type.Optional(
      Type.Object(
        {
          code: { ...LanguageCode, default: 'en_US' },
        },
        { [RULE]: 'must be an object with code' },
      ),
    ),
    components: Type.Optional(TemplateComponents),
  },
  { [RULE]: 'must be an object' },
);

const Fallback = Type.Object(
  {
    channel: Type.Unsafe<'sms'>({ type: 'string', enum: ['sms'], [RULE]: 'must be sms' }),
    from: SenderId,
    message: Type.Optional(
      Type.String({
        description: 'Text of the SMS. Default: the text, caption or rendered template of the message.',
        examples: ['Your parcel arrives today.'],
        [RULE]: 'must be a string',
      }),
    ),
  },
  {
    description:
      'Extension of the contract, only for WhatsApp. An SMS that is sent and charged if the WhatsApp message ' +
      'ends as `undelivered`, `failed`, `rejected` or `expired`.',
    [RULE]: 'must be an object with channel and from',
  },
);

export const SendV2Schema = Type.Unsafe<SendV2Body>(
  Type.Object(
    {
      to: Type.Optional(
        Type.Unsafe<string | string[]>({
          description: `A phone number with country code, digits only, or an array of 1 to ${MAX_RECIPIENTS} of them. If the account has a default country, national numbers are accepted too. Required unless userId or contactId is sent.`,
          anyOf: [To, Type.Array(To, { minItems: 1, maxItems: MAX_RECIPIENTS, [RULE]: TO_RULE })],
          [RULE]: TO_RULE,
        }),
      ),
      ...ALTERNATIVE_TARGETS,
      from: SenderId,
      channel: Type.Optional(
        Type.Unsafe<'sms' | 'whatsapp'>({
          type: 'string',
          enum: ['sms', 'whatsapp'],
          description:
            'Default: `whatsapp` if template_id, media_url, template_data or type is present, otherwise `sms`.',
          [RULE]: 'must be sms or whatsapp',
        }),
      ),
      message: Type.Optional(
        Type.String({
          description:
            'Text, or caption of an image or document. Required unless template_id or media_url is present. At most 4096 characters for WhatsApp text and 1024 for captions.',
          examples: ['Hello'],
          [RULE]: 'must be a string',
        }),
      ),
      priority: Type.Optional(Priority),
      media_url: Type.Optional(
        Type.String({
          format: 'uri',
          maxLength: 4096,
          description: 'URL of an image or document.',
          examples: ['https://example.com/invoice.pdf'],
          [RULE]: 'must be an http or https URL of at most 4096 characters',
        }),
      ),
      template_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 512,
          description: 'ID or name of a WhatsApp template.',
          examples: ['hello_world'],
          [RULE]: 'must be a string of 1 to 512 characters',
        }),
      ),
      template_data: Type.Optional(TemplateData),
      type: Type.Optional(
        Type.Unsafe<RichType>({
          ...RichTypeSchema,
          description:
            "Extension of the contract: the type of a WhatsApp message in the shape of Meta's Cloud API. The field of the same " +
            'name holds the content, instead of message, media_url and template_id.',
        }),
      ),
      ...RICH_FIELDS,
      preview_url: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Whether WhatsApp shows a preview of the first URL in a text.',
          [RULE]: 'must be true or false',
        }),
      ),
      scheduled_at: Type.Optional(ScheduledAt),
      validity_period: Type.Optional(ValidityPeriod),
      valid_until: Type.Optional(ValidUntil),
      fallback: Type.Optional(Fallback),
      ...PURPOSE,
      ...NOTES,
      ...CALLBACK,
    },
    {
      [NULL_IS_ABSENT]: true,
      [ONE_OF_FIELDS]: TARGET_FIELDS,
      examples: [
        { to: '15005550111', from: 'Heliograph', message: 'Hello' },
        { to: ['15005550111', '15005550112'], from: '15005550100', channel: 'whatsapp', message: 'Hello' },
        {
          to: '15005550111',
          from: '15005550100',
          template_id: 'hello_world',
          template_data: { name: 'hello_world', language: { code: 'en_US' }, components: [] },
        },
        {
          to: '15005550111',
          from: '15005550100',
          media_url: 'https://example.com/invoice.pdf',
          template_data: { type: 'document' },
          message: 'Your invoice',
        },
      ],
    },
  ),
);

const SentToPerson = Type.Object({
  ...SentEntry.properties,
  to: Type.Union([Type.String(), Type.Null()], { description: 'The number; null if none is known.' }),
  userId: Type.Optional(WHATSAPP_PERSON.userId),
  contactId: Type.Optional(Type.Union([Id, Type.Null()])),
});

export const SendV2Answer = Type.Object({
  status: Type.Literal('success'),
  message: Type.String({ examples: ['Message sent successfully'] }),
  code: Type.Integer({ examples: [200] }),
  data: Type.Array(SentToPerson),
});
