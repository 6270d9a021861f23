import { Type } from '@sinclair/typebox';
import { moneyToNumber } from '../../../accounts/money.js';
import { RESPONSE_WINDOW_DAYS } from '../../../features/campaigns/responses-sql.js';
import type { CampaignResults, Cost } from '../../../features/campaigns/results/results.js';
import { getVariantName } from '../../../features/campaigns/variants/variants.js';
import { NullableText, Timestamp } from '../../http/schemas/values.js';

const WINDOW = `within ${RESPONSE_WINDOW_DAYS} days after the carrier accepted the message, and before the next campaign's message to the same person`;
const Count = (description: string) => Type.Integer({ description });
const Amount = (description: string) => Type.Number({ description, examples: [0.01] });

const CostRecord = Type.Object({
  charged: Amount('Price of all messages, in units of the currency.'),
  refunded: Amount('Refunds of messages that no carrier accepted.'),
  total: Amount("`charged` less `refunded`, which equals the campaign's ledger entries."),
});

const Sent = Count('Messages that a carrier accepted.');
const Delivered = Count('Includes messages that were read.');
const Failed = Count('Messages that failed, expired, or were rejected or undelivered. Excludes canceled messages.');

export const CampaignResultsRecord = Type.Object({
  funnel: Type.Object({
    recipients: Count('Recipients counted at the start. 0 before the start.'),
    sent: Sent,
    delivered: Delivered,
    read: Type.Integer(),
    replied: Count(`Recipients who wrote on the channel ${WINDOW}. Includes opt-out keywords.`),
    clicked: Count('Recipients who clicked a short link of the message.'),
    optedOut: Count(`Recipients who opted out ${WINDOW}, and have not opted in again.`),
  }),
  cost: CostRecord,
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  byHour: Type.Array(
    Type.Object({
      start: Type.String({ ...Timestamp, description: 'Start of an hour in UTC.' }),
      sent: Type.Integer(),
      delivered: Type.Integer(),
      read: Type.Integer(),
      failed: Type.Integer(),
    }),
    { description: 'Events by the hour in which they happened, oldest first. Hours without events are left out.' },
  ),
  byCarrier: Type.Array(
    Type.Object({
      carrier: Type.String(),
      messages: Type.Integer(),
      sent: Sent,
      delivered: Delivered,
      failed: Failed,
      cost: CostRecord,
    }),
    { description: 'Most messages first.' },
  ),
  byVariant: Type.Array(
    Type.Object({
      variant: Type.String({ examples: ['A'] }),
      messages: Type.Integer(),
      sent: Sent,
      delivered: Delivered,
      read: Type.Integer(),
      replied: Type.Integer(),
      clicked: Type.Integer(),
      optedOut: Type.Integer(),
      failed: Failed,
      cost: CostRecord,
    }),
    { description: 'From A. Empty for a campaign without variants.' },
  ),
  byError: Type.Array(
    Type.Object({
      errorCode: Type.String({ description: 'Empty if the carrier reported no code.', examples: ['131026'] }),
      errorMessage: { ...NullableText, description: 'One of the texts that the carrier sent with the code.' },
      meaning: { ...NullableText, description: 'Null for unknown codes.' },
      advice: { ...NullableText, description: 'What to do about it. Null for unknown codes.' },
      messages: Type.Integer(),
    }),
    { description: 'Errors of failed messages, most messages first.' },
  ),
  secondsLeft: Type.Union([Type.Integer(), Type.Null()], {
    description:
      "Estimated time until every recipient's message is sent, at the pace of the last five minutes. Null if the campaign is not running or has sent nothing in that time.",
  }),
});

export function campaignResultsRecord({ results, currency }: { results: CampaignResults; currency: string }) {
  const { funnel, cost, byHour, byCarrier, byVariant, byError, secondsLeft } = results;
  return {
    funnel,
    cost: costRecord(cost),
    currency,
    byHour: byHour.map(({ start, ...counts }) => ({ start: start.toISOString(), ...counts })),
    byCarrier: byCarrier.map((carrier) => ({ ...carrier, cost: costRecord(carrier.cost) })),
    byVariant: byVariant.map(({ variant, ...result }) => ({
      ...result,
      variant: getVariantName(variant),
      cost: costRecord(result.cost),
    })),
    byError: byError.map(({ code, message, ...error }) => ({ errorCode: code, errorMessage: message, ...error })),
    secondsLeft,
  };
}

function costRecord({ chargedMicros, refundedMicros, totalMicros }: Cost) {
  return {
    charged: moneyToNumber(chargedMicros),
    refunded: moneyToNumber(refundedMicros),
    total: moneyToNumber(totalMicros),
  };
}
