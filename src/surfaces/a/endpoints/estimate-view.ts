import { type Static, Type } from '@sinclair/typebox';
import { moneyToNumber } from '../../../accounts/money.js';
import type { Estimate } from '../../../messages/accept/estimate.js';
import { Encoding } from './message-view.js';

const PRICE = { description: 'In units of the currency.', examples: [0.01] };

export const EstimateAnswer = Type.Object({
  status: Type.Literal('success'),
  message: Type.String({ examples: ['Nothing was sent.'] }),
  code: Type.Integer({ examples: [200] }),
  data: Type.Object({
    channel: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] }),
    message: Type.String({ description: 'Text, caption or rendered template.' }),
    encoding: Encoding,
    message_count: Type.Integer({ description: 'Number of SMS parts of each message; 1 for WhatsApp.' }),
    parts: Type.Array(Type.Object({ part: Type.Integer({ description: 'From 1.' }), text: Type.String() })),
    first_ucs2_character: Type.Union(
      [
        Type.Object({
          character: Type.String({ examples: ['’'] }),
          code_point: Type.String({ examples: ['U+2019'] }),
          index: Type.Integer({
            description: 'Position in the message, in Unicode code points from 0.',
            examples: [4],
          }),
        }),
        Type.Null(),
      ],
      { description: 'The first character outside the GSM alphabet, which forces the encoding `ucs2`.' },
    ),
    recipients: Type.Array(Type.Object({ to: Type.String(), price: Type.Number(PRICE) })),
    total_price: Type.Number(PRICE),
    currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  }),
});

/** @param to recipients' numbers, absent for a recipient without a number */
export function answerEstimate(estimate: Estimate, to?: readonly string[]): Static<typeof EstimateAnswer> {
  const { kind, body, segmentation, forcing, parts, prices, totalMicros, currency } = estimate;
  const texts = segmentation?.parts ?? [body];
  return {
    status: 'success',
    message: 'Nothing was sent.',
    code: 200,
    data: {
      channel: kind,
      message: body,
      encoding: segmentation?.encoding ?? null,
      message_count: parts,
      parts: texts.map((text, index) => ({ part: index + 1, text })),
      first_ucs2_character: forcing && {
        character: forcing.character,
        code_point: formatCodePoint(forcing.character),
        index: forcing.index,
      },
      recipients: prices.map(({ digits, micros }, index) => ({
        to: to?.[index] ?? digits,
        price: moneyToNumber(micros),
      })),
      total_price: moneyToNumber(totalMicros),
      currency,
    },
  };
}

function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
}
