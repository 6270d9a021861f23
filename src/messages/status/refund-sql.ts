import { buildBalanceMoves } from '../../accounts/ledger-store.js';

export interface Refund {
  /** A CTE with `account_id` and `price_micros` of ended messages, optionally followed by a WHERE clause. */
  ended: string;
  /** Row source that assigns each account the ID of its ledger line: `account_id`, `id`. */
  lineIds: string;
  at: string;
}

/** The accounts must be locked already. */
export function refundMessages({ ended, lineIds, at }: Refund): string {
  return `refund AS (
  SELECT account_id, sum(price_micros)::bigint AS total, count(*)::int AS message_count
  FROM ${ended} GROUP BY account_id
), ${buildBalanceMoves({ kind: 'refund', totals: 'refund', lineIds, at })}`;
}
