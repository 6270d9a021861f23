import { Type } from '@sinclair/typebox';
import { MAX_TEST_NUMBERS, TEST_METADATA } from '../../../features/campaigns/test-send/test-send.js';
import type { TestMessage } from '../../../features/campaigns/test-send/test-send-store.js';
import { getVariantName, MAX_VARIANTS } from '../../../features/campaigns/variants/variants.js';
import { BodyId } from '../../http/ids.js';
import { Id } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';

const VARIANT_NAMES = Array.from({ length: MAX_VARIANTS }, (_, index) => getVariantName(index));

const TestNumber = Type.String({
  pattern: '^\\d{1,15}$',
  examples: ['15005550111'],
  [RULE]: 'must be a phone number with country code, digits only',
});

export const CampaignTestBody = Type.Object(
  {
    to: Type.Array(TestNumber, {
      minItems: 1,
      maxItems: MAX_TEST_NUMBERS,
      description: `1 to ${MAX_TEST_NUMBERS} numbers. Numbers that are not contacts become contacts of the channel.`,
      [RULE]: `must be an array of 1 to ${MAX_TEST_NUMBERS} phone numbers`,
    }),
    contactId: Type.Optional({
      ...BodyId,
      description:
        'The contact whose values fill the placeholders. Without a contact, placeholders get their fallbacks.',
    }),
    variant: Type.Optional(
      Type.String({
        enum: VARIANT_NAMES,
        description: 'The variant to send. Default: A.',
        examples: ['B'],
        [RULE]: `must be one of ${VARIANT_NAMES.join(', ')}`,
      }),
    ),
  },
  { examples: [{ to: ['15005550111'] }] },
);

export const CampaignTestData = Type.Object({
  messages: Type.Array(
    Type.Object({
      messageId: Id,
      to: Type.String({ examples: ['15005550111'] }),
      body: Type.String({
        description: 'The text that was sent.',
        examples: ['Hello Ada, our spring sale starts today.'],
      }),
      segments: Type.Integer({ description: 'SMS segments; always 1 on WhatsApp.' }),
    }),
    { description: `Messages with the campaign's ID in \`metadata.${TEST_METADATA}\`.` },
  ),
});

export function campaignTestRecord(messages: readonly TestMessage[]) {
  return { messages: messages.map(({ id, ...message }) => ({ messageId: id, ...message })) };
}
