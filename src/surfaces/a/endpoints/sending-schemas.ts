import { Type } from '@sinclair/typebox';
import {
  MAX_SCHEDULE_DAYS,
  MAX_VALIDITY_SECONDS,
  MIN_VALIDITY_SECONDS,
  SCHEDULE_RULE,
  VALID_UNTIL_RULE,
} from '../../../messages/compose/schedule.js';
import { RULE } from '../../http/validation.js';

/*
 * Optional fields that both versions take alike.
 */

export const Priority = Type.Integer({
  minimum: 0,
  maximum: 3,
  default: 0,
  description: '0 lowest, 1 low, 2 high, 3 highest. On version 1.0 an extension of the contract.',
  [RULE]: 'must be an integer from 0 to 3',
});

export const ScheduledAt = Type.String({
  description:
    'Extension of the contract. When to send it: ISO 8601 with a time zone, at most ' +
    `${MAX_SCHEDULE_DAYS} days ahead. A time that is past by no more than a minute counts as now.`,
  examples: ['2026-12-01T08:00:00+01:00'],
  [RULE]: SCHEDULE_RULE,
});

export const ValidUntil = Type.String({
  description:
    'Extension of the contract, instead of validity_period. The moment after which it is no longer sent: ISO 8601 with a time ' +
    `zone. More than ${MAX_VALIDITY_SECONDS} seconds after scheduled_at, or from now, counts as that.`,
  examples: ['2026-12-01T08:00:00+01:00'],
  [RULE]: VALID_UNTIL_RULE,
});

export const ValidityPeriod = Type.Integer({
  minimum: MIN_VALIDITY_SECONDS,
  maximum: MAX_VALIDITY_SECONDS,
  description:
    'Extension of the contract. Seconds in which it may be sent, counted from scheduled_at or from now. ' +
    'Past them it is `expired`, and refunded if no carrier can have taken it. By default the ' +
    "server's MESSAGE_VALIDITY_SECONDS.",
  examples: [300],
  [RULE]: `must be an integer from ${MIN_VALIDITY_SECONDS} to ${MAX_VALIDITY_SECONDS}`,
});
