import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Counted } from './read-store.js';

export type AccountCount = Pick<Counted, 'event' | 'messages' | 'micros'> & { accountId: string };

/**
 * Adds up folded counts and unfolded deltas from one snapshot. The statement reads hours per account, because the primary key
 * starts with the account. Parameters: $1 start, $2 end.
 */
const READ_COUNTS: PlannedStatement = {
  text: `
WITH counted AS (
  SELECT h.account_id, h.event, h.messages, h.micros FROM accounts a CROSS JOIN LATERAL (
    SELECT account_id, event, messages, micros FROM hourly_counts WHERE account_id = a.id AND hour >= $1 AND hour < $2 OFFSET 0
  ) h
  UNION ALL
  SELECT account_id, reached.event, messages, micros
  FROM count_deltas CROSS JOIN LATERAL unnest(events) AS reached(event) WHERE hour >= $1 AND hour < $2
)
SELECT account_id AS "accountId", event, sum(messages)::float8 AS messages, sum(micros)::text AS micros
FROM counted GROUP BY 1, 2 HAVING sum(messages) <> 0`,
};

export async function readCountsByAccount(
  pool: pg.Pool,
  { from, to }: { from: Date; to: Date },
): Promise<AccountCount[]> {
  const values = [from.toISOString(), to.toISOString()];
  const { rows } = await pool.query<Omit<AccountCount, 'micros'> & { micros: string }>({ ...READ_COUNTS, values });
  return rows.map(({ micros, ...row }) => ({ ...row, micros: BigInt(micros) }));
}
