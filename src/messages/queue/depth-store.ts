import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { LANES, type Lane, laneOf, PRIORITIES } from '../lanes.js';

/** How many messages under way are looked at in each priority; where more are, the numbers are of these. */
const LOOKED_AT = 20_000;

/** What waits to be sent. */
export interface QueueDepth {
  /** Due, or waiting for another try. Scheduled ones do not wait. */
  waiting: number;
  /** Since when the oldest of them waits; null where none does. */
  oldestAt: Date | null;
  /** More messages are to be looked after within the hour than were looked at, so more may wait. */
  isPartial: boolean;
}

/**
 * What the numbers are of: of each priority the messages whose next look comes first, by the index of what is under way. Each
 * for itself, or many that are scheduled would hide the urgent ones behind them. What waits is looked after within minutes, or
 * within an hour where its channel is paused, so what is scheduled for later lies behind it. The limit is of the rows that
 * are read, before any that do not wait or are another account's are left out: leaving them out first would read all that are scheduled.
 */
const looked = (priorities: string, limit: string) => `looked AS (
  SELECT found.*,
    found.status = 'sending' OR (found.status = 'queued' AND (found.not_before IS NULL OR found.not_before <= now())) AS waits,
    found.place >= ${limit} AND found.next_look <= now() + interval '1 hour' AS "isLast"
  FROM unnest(${priorities}::smallint[]) AS p(priority)
  CROSS JOIN LATERAL (
    SELECT account_id, status, not_before, next_look, greatest(created_at, scheduled_at) AS since,
      row_number() OVER (ORDER BY next_look) AS place
    FROM messages WHERE next_look IS NOT NULL AND priority = p.priority ORDER BY next_look LIMIT ${limit}
  ) found
)`;

const ALL_PRIORITIES = `ARRAY[${PRIORITIES.join(', ')}]`;

/** $1 account, null: all. $2 messages to look at in each priority. */
const DEPTH: PlannedStatement = {
  text: `
WITH ${looked(ALL_PRIORITIES, '$2::int')}
SELECT count(*) FILTER (WHERE own)::int AS waiting, min(since) FILTER (WHERE own) AS "oldestAt",
       coalesce(bool_or("isLast"), false) AS "isPartial"
FROM (SELECT since, "isLast", waits AND ($1::uuid IS NULL OR account_id = $1) AS own FROM looked) each`,
};

/** The same of every account that has messages under way, and of all together. $1 messages to look at in each priority. */
const DEPTHS: PlannedStatement = {
  text: `
WITH ${looked(ALL_PRIORITIES, '$1::int')}
SELECT account_id AS "accountId", count(*) FILTER (WHERE waits)::int AS waiting, min(since) FILTER (WHERE waits) AS "oldestAt",
       coalesce(bool_or("isLast"), false) AS "isPartial"
FROM looked GROUP BY GROUPING SETS ((account_id), ())`,
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

/** $1 the lane's priorities. $2 messages to look at in each. */
const LANE_DEPTH: PlannedStatement = {
  text: `
WITH ${looked('$1', '$2::int')}
SELECT count(*)::int AS waiting,
       coalesce(date_part('epoch', clock_timestamp() - min(since)) * 1000, 0)::float8 AS "oldestMs"
FROM looked WHERE waits`,
};

/** What waits in each lane, in the whole installation. */
export function readLaneDepths(pool: pg.Pool): Promise<LaneDepth[]> {
  return Promise.all(
    LANES.map(async (lane) => {
      const priorities = PRIORITIES.filter((priority) => laneOf(priority) === lane);
      const { rows } = await pool.query<Omit<LaneDepth, 'lane'>>({ ...LANE_DEPTH, values: [priorities, LOOKED_AT] });
      const { waiting, oldestMs } = rows[0] as (typeof rows)[number];
      return { lane, waiting, oldestMs: Math.max(0, oldestMs) };
    }),
  );
}
