import type pg from 'pg';

/** Sums that must match between a store and its copy, as decimal text. */
export interface StoreSums extends Record<string, string> {
  accounts: string;
  /** Sum of all balances in millionths, across all currencies. */
  balanceMicros: string;
  ledgerMicros: string;
  /** Number of accounts whose balance differs from the sum of their ledger, which must be 0. */
  unbalanced: string;
  underWay: string;
}

/** Reads the whole ledger. */
export async function sumStore(client: Pick<pg.ClientBase, 'query'>): Promise<StoreSums> {
  const { rows } = await client.query<StoreSums>(
    `SELECT count(*)::text AS accounts, coalesce(sum(balance_micros), 0)::text AS "balanceMicros",
       coalesce(sum(lines), 0)::text AS "ledgerMicros",
       count(*) FILTER (WHERE balance_micros <> coalesce(lines, 0))::text AS unbalanced,
       (SELECT count(*)::text FROM messages WHERE next_look IS NOT NULL) AS "underWay"
     FROM accounts
     LEFT JOIN (SELECT account_id, sum(amount_micros) AS lines FROM ledger_entries GROUP BY account_id) ledger
       ON account_id = accounts.id`,
  );
  return rows[0] as StoreSums;
}
