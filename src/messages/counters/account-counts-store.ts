import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Counted } from './read-store.js';

/** Messages of one account that came to something. */
export type CountedOfAccount = Pick<Counted, 'event' | 'messages' | 'micros'> & { accountId: string };

/**
 * What is folded and what is not, of one snapshot, by account. Each account's hours are found by the key, whose hours
 * are not in order across accounts. $1 and $2 the time.
 */
const READ: PlannedStatement = {
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

/** What was counted in the hours from one on, before another, to the last committed statement. */
export async function readCountsByAccount(
  pool: pg.Pool,
  { from, to }: { from: Date; to: Date },
): Promise<CountedOfAccount[]> {
  const values = [from.toISOString(), to.toISOString()];
  const { rows } = await pool.query<Omit<CountedOfAccount, 'micros'> & { micros: string }>({ ...READ, values });
  return rows.map(({ micros, ...row }) => ({ ...row, micros: BigInt(micros) }));
}
