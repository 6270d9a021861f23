import { Type } from '@sinclair/typebox';
import { moneyToNumber } from '../../../accounts/money.js';
import type { CampaignEstimate } from '../../../features/campaigns/estimate/estimate.js';
import { NullablePhone } from '../people/people.js';

const Amount = Type.Number({ description: 'In units of the currency.', examples: [0.01] });
const Encoding = Type.Unsafe<'gsm7' | 'ucs2' | null>({
  anyOf: [{ type: 'string', enum: ['gsm7', 'ucs2'] }, { type: 'null' }],
  description: 'Null on WhatsApp.',
  examples: ['gsm7'],
});

export const CampaignEstimateData = Type.Object({
  members: Type.Integer({ description: 'Recipients of the campaign.' }),
  passedOver: Type.Integer({
    description: 'Recipients who get no message because a template parameter or the text would be empty.',
  }),
  refused: Type.Integer({
    description: "Recipients who get no message because the account's spending guard refuses it.",
  }),
  optedOut: Type.Integer({ description: 'Recipients who have opted out. Their messages are refunded and not sent.' }),
  messages: Type.Integer({ description: 'Messages that would be sent.' }),
  sms: Type.Union(
    [
      Type.Object({
        segments: Type.Integer({ description: 'Segments of all messages.' }),
        gsm7: Type.Integer({ description: 'Messages in the GSM alphabet.' }),
        ucs2: Type.Integer({ description: 'Messages in UCS-2.' }),
      }),
      Type.Null(),
    ],
    { description: 'Null on WhatsApp.' },
  ),
  countries: Type.Array(
    Type.Object({
      callingCode: Type.String({ examples: ['49'] }),
      messages: Type.Integer(),
      segments: Type.Integer({ description: 'Equals `messages` on WhatsApp.' }),
      price: Type.Number({ description: 'Price of a message, or of a segment of an SMS.', examples: [0.01] }),
      total: Amount,
    }),
    { description: 'Ordered by number of messages, largest first.' },
  ),
  total: Amount,
  balance: Amount,
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  sample: Type.Union([Type.Object({ phone: NullablePhone, name: Type.String(), body: Type.String() }), Type.Null()], {
    description: 'The message as the first recipient would receive it.',
  }),
  mostExpensive: Type.Union(
    [
      Type.Object({
        phone: NullablePhone,
        name: Type.String(),
        body: Type.String(),
        segments: Type.Integer({ description: 'Always 1 on WhatsApp.' }),
        encoding: Encoding,
        price: Amount,
      }),
      Type.Null(),
    ],
    { description: 'The first of the recipients whose message costs most.' },
  ),
});

export function estimateRecord({ totalMicros, balanceMicros, mostExpensive, ...estimate }: CampaignEstimate) {
  return {
    ...estimate,
    countries: estimate.countries.map(({ priceMicros, totalMicros: countryMicros, ...country }) => ({
      ...country,
      price: moneyToNumber(priceMicros),
      total: moneyToNumber(countryMicros),
    })),
    total: moneyToNumber(totalMicros),
    balance: moneyToNumber(balanceMicros),
    mostExpensive: mostExpensive && priced(mostExpensive),
  };
}

function priced({ priceMicros, ...message }: NonNullable<CampaignEstimate['mostExpensive']>) {
  return { ...message, price: moneyToNumber(priceMicros) };
}
