import { buildBalanceMoves } from '../../accounts/ledger-store.js';

export interface Refund {
  /** A CTE with `account_id` and `price_micros` of ended messages, optionally followed by a WHERE clause. */
  ended: string;
  /** Row source with the columns `account_id` and `id`, where `id` is the new ledger line of the account. */
  lineIds: string;
  at: string;
}

/** The caller must have locked the accounts. */
export function refundMessages({ ended, lineIds, at }: Refund): string {
  return `refund AS (
  SELECT account_id, sum(price_micros)::bigint AS total, count(*)::int AS message_count
  FROM ${ended} GROUP BY account_id
), ${buildBalanceMoves({ kind: 'refund', totals: 'refund', lineIds, at })}`;
}
