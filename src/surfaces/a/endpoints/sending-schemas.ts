import { Type } from '@sinclair/typebox';
import {
  MAX_SCHEDULE_DAYS,
  MAX_VALIDITY_SECONDS,
  MIN_VALIDITY_SECONDS,
  SCHEDULE_RULE,
  VALID_UNTIL_RULE,
} from '../../../messages/compose/schedule.js';
import { RULE } from '../../http/validation.js';

export const Priority = Type.Integer({
  minimum: 0,
  maximum: 3,
  default: 0,
  description: '0 lowest, 1 low, 2 high, 3 highest. An extension of the contract in version 1.0.',
  [RULE]: 'must be an integer from 0 to 3',
});

export const ScheduledAt = Type.String({
  description:
    'Extension of the contract. When to send it: ISO 8601 with a time zone, at most ' +
    `${MAX_SCHEDULE_DAYS} days ahead. A time up to one minute in the past counts as now.`,
  examples: ['2026-12-01T08:00:00+01:00'],
  [RULE]: SCHEDULE_RULE,
});

export const ValidUntil = Type.String({
  description:
    'Extension of the contract, instead of validity_period. The message is not sent after this time: ISO 8601 with a time ' +
    `zone. At most ${MAX_VALIDITY_SECONDS} seconds after scheduled_at, or after now.`,
  examples: ['2026-12-01T08:00:00+01:00'],
  [RULE]: VALID_UNTIL_RULE,
});

export const ValidityPeriod = Type.Integer({
  minimum: MIN_VALIDITY_SECONDS,
  maximum: MAX_VALIDITY_SECONDS,
  description:
    'Extension of the contract. Seconds during which the message may be sent, from scheduled_at or from now. ' +
    'After that it is `expired`, and refunded unless a carrier may have accepted it. Default: the ' +
    "server's MESSAGE_VALIDITY_SECONDS.",
  examples: [300],
  [RULE]: `must be an integer from ${MIN_VALIDITY_SECONDS} to ${MAX_VALIDITY_SECONDS}`,
});
