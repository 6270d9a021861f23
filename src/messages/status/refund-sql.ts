import { moveBalances } from '../../accounts/ledger-store.js';

/** Which messages to refund, as SQL. */
export interface Refund {
  /** A common table expression that returns `account_id` and `price_micros` of messages, with a condition if need be. */
  ended: string;
  /** The row source that gives each account the id of its line of the ledger: `account_id`, `id`. */
  lineIds: string;
  at: string;
}

/**
 * The common table expressions of a statement that refund messages which it ended: balances and ledger. The accounts are
 * to be locked before.
 */
export function refundMessages({ ended, lineIds, at }: Refund): string {
  return `refund AS (
  SELECT account_id, sum(price_micros)::bigint AS total, count(*)::int AS message_count
  FROM ${ended} GROUP BY account_id
), ${moveBalances({ kind: 'refund', totals: 'refund', lineIds, at })}`;
}
