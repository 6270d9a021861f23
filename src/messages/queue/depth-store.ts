import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/pool.js';

/** How many messages under way are looked at; where more are, the numbers are of these. */
const LOOKED_AT = 20_000;

/** What waits to be sent. */
export interface QueueDepth {
  /** Due, or waiting for another try. Scheduled ones do not wait. */
  waiting: number;
  /** Since when the oldest of them waits; null where none does. */
  oldestAt: Date | null;
  /** More messages are under way than were looked at, so there may be more. */
  isPartial: boolean;
}

/** The index of what is under way leads to it, whatever the table holds. $1 account, null: all. $2 messages to look at. */
const DEPTH: PlannedStatement = {
  text: `
WITH looked AS (
  SELECT account_id, status, not_before, greatest(created_at, scheduled_at) AS since FROM messages
  WHERE next_look IS NOT NULL ORDER BY priority, next_look LIMIT $2
)
SELECT count(*) FILTER (WHERE waits)::int AS waiting, min(since) FILTER (WHERE waits) AS "oldestAt",
       count(*) >= $2 AS "isPartial"
FROM (
  SELECT since, ($1::uuid IS NULL OR account_id = $1)
    AND (status = 'sending' OR (status = 'queued' AND (not_before IS NULL OR not_before <= now()))) AS waits
  FROM looked
) each`,
};

/** The same of every account that has messages under way, and of all together. $1 messages to look at. */
const DEPTHS: PlannedStatement = {
  text: `
WITH looked AS (
  SELECT account_id, status, not_before, greatest(created_at, scheduled_at) AS since FROM messages
  WHERE next_look IS NOT NULL ORDER BY priority, next_look LIMIT $1
)
SELECT account_id AS "accountId", count(*) FILTER (WHERE waits)::int AS waiting, min(since) FILTER (WHERE waits) AS "oldestAt",
       count(*) >= $1 AS "isPartial"
FROM (
  SELECT account_id, since,
    status = 'sending' OR (status = 'queued' AND (not_before IS NULL OR not_before <= now())) AS waits
  FROM looked
) each
GROUP BY GROUPING SETS ((account_id), ())`,
};

/** What waits in the whole installation, and in each account in which something does. */
export async function readQueueDepths(
  pool: pg.Pool,
): Promise<{ all: QueueDepth; accounts: { accountId: string; waiting: number; oldestAt: Date | null }[] }> {
  const { rows } = await pool.query<QueueDepth & { accountId: string | null }>({ ...DEPTHS, values: [LOOKED_AT] });
  const { accountId: _, ...all } = rows.find(({ accountId }) => accountId === null) as (typeof rows)[number];
  const accounts = rows.flatMap(({ accountId, waiting, oldestAt }) =>
    accountId !== null && waiting > 0 ? [{ accountId, waiting, oldestAt }] : [],
  );
  return { all, accounts };
}

/** @param accountId null: of the whole installation */
export async function readQueueDepth(pool: pg.Pool, accountId: string | null): Promise<QueueDepth> {
  const { rows } = await pool.query<QueueDepth>({ ...DEPTH, values: [accountId, LOOKED_AT] });
  return rows[0] as QueueDepth;
}
