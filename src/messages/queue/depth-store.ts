import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { LANES, type Lane, laneOf, PRIORITIES } from './lanes.js';

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

/** What waits in a lane of the whole installation. */
export interface LaneDepth {
  lane: Lane;
  waiting: number;
  /** Milliseconds since the oldest waits; 0 where none does. */
  oldestMs: number;
}

/** Each lane for itself, or a long bulk one would hide the other from those that are looked at. $1, $2 its lowest and its highest priority. */
const LANE_DEPTH: PlannedStatement = {
  text: `
WITH looked AS (
  SELECT status, not_before, greatest(created_at, scheduled_at) AS since FROM messages
  WHERE next_look IS NOT NULL AND priority BETWEEN $1 AND $2 ORDER BY priority, next_look LIMIT $3
)
SELECT count(*)::int AS waiting,
       coalesce(date_part('epoch', clock_timestamp() - min(since)) * 1000, 0)::float8 AS "oldestMs"
FROM looked
WHERE status = 'sending' OR (status = 'queued' AND (not_before IS NULL OR not_before <= now()))`,
};

/** What waits in each lane, in the whole installation. */
export function readLaneDepths(pool: pg.Pool): Promise<LaneDepth[]> {
  return Promise.all(
    LANES.map(async (lane) => {
      const priorities = PRIORITIES.filter((priority) => laneOf(priority) === lane);
      const values = [Math.min(...priorities), Math.max(...priorities), LOOKED_AT];
      const { rows } = await pool.query<Omit<LaneDepth, 'lane'>>({ ...LANE_DEPTH, values });
      const { waiting, oldestMs } = rows[0] as (typeof rows)[number];
      return { lane, waiting, oldestMs: Math.max(0, oldestMs) };
    }),
  );
}
