import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { LANES, type Lane, laneFor, PRIORITIES } from '../lanes.js';

/** Messages examined per priority. */
const MAX_EXAMINED = 20_000;

export interface QueueDepth {
  /** Number of messages that are due or waiting for a retry, excluding scheduled messages. */
  waiting: number;
  /** Time at which the oldest waiting message started to wait. */
  oldestAt: Date | null;
  /** Whether the numbers may be too low, because there were more messages than could be examined. */
  isPartial: boolean;
}

/**
 * Examines each priority separately, so that many scheduled messages cannot hide urgent ones. Waiting messages have a next look
 * within an hour, so they come before scheduled messages. The limit is applied before any filter, because a filtered query
 * would read all scheduled messages.
 */
const examinedSql = (priorities: string, limit: string) => `examined AS (
  SELECT found.*,
    found.status = 'sending' OR (found.status = 'queued' AND (found.not_before IS NULL OR found.not_before <= now())) AS waits,
    found.position >= ${limit} AND found.next_look <= now() + interval '1 hour' AS "isLast"
  FROM unnest(${priorities}::smallint[]) AS p(priority)
  CROSS JOIN LATERAL (
    SELECT account_id, status, not_before, next_look, greatest(created_at, scheduled_at) AS since,
      row_number() OVER (ORDER BY next_look) AS position
    FROM messages WHERE next_look IS NOT NULL AND priority = p.priority ORDER BY next_look LIMIT ${limit}
  ) found
)`;

const ALL_PRIORITIES = `ARRAY[${PRIORITIES.join(', ')}]`;

/** Parameters: $1 account or null for all, $2 messages to examine per priority. */
const READ_DEPTH: PlannedStatement = {
  text: `
WITH ${examinedSql(ALL_PRIORITIES, '$2::int')}
SELECT count(*) FILTER (WHERE matches)::int AS waiting, min(since) FILTER (WHERE matches) AS "oldestAt",
       coalesce(bool_or("isLast"), false) AS "isPartial"
FROM (SELECT since, "isLast", waits AND ($1::uuid IS NULL OR account_id = $1) AS matches FROM examined) rows`,
};

/** Reads the depth for each account and in total, where $1 is the number of messages to examine per priority. */
const READ_DEPTHS: PlannedStatement = {
  text: `
WITH ${examinedSql(ALL_PRIORITIES, '$1::int')}
SELECT account_id AS "accountId", count(*) FILTER (WHERE waits)::int AS waiting, min(since) FILTER (WHERE waits) AS "oldestAt",
       coalesce(bool_or("isLast"), false) AS "isPartial"
FROM examined GROUP BY GROUPING SETS ((account_id), ())`,
};

export async function readQueueDepths(
  pool: pg.Pool,
): Promise<{ all: QueueDepth; accounts: { accountId: string; waiting: number; oldestAt: Date | null }[] }> {
  const { rows } = await pool.query<QueueDepth & { accountId: string | null }>({
    ...READ_DEPTHS,
    values: [MAX_EXAMINED],
  });
  const { accountId: _, ...all } = rows.find(({ accountId }) => accountId === null) as (typeof rows)[number];
  const accounts = rows.flatMap(({ accountId, waiting, oldestAt }) =>
    accountId !== null && waiting > 0 ? [{ accountId, waiting, oldestAt }] : [],
  );
  return { all, accounts };
}

/** @param accountId account, or null for the whole installation */
export async function readQueueDepth(pool: pg.Pool, accountId: string | null): Promise<QueueDepth> {
  const { rows } = await pool.query<QueueDepth>({ ...READ_DEPTH, values: [accountId, MAX_EXAMINED] });
  return rows[0] as QueueDepth;
}

export interface LaneDepth {
  lane: Lane;
  waiting: number;
  oldestMs: number;
}

/** Parameters: $1 priorities of the lane, $2 messages to examine per priority. */
const READ_LANE_DEPTH: PlannedStatement = {
  text: `
WITH ${examinedSql('$1', '$2::int')}
SELECT count(*)::int AS waiting,
       coalesce(date_part('epoch', clock_timestamp() - min(since)) * 1000, 0)::float8 AS "oldestMs"
FROM examined WHERE waits`,
};

export function readLaneDepths(pool: pg.Pool): Promise<LaneDepth[]> {
  return Promise.all(
    LANES.map(async (lane) => {
      const priorities = PRIORITIES.filter((priority) => laneFor(priority) === lane);
      const { rows } = await pool.query<Omit<LaneDepth, 'lane'>>({
        ...READ_LANE_DEPTH,
        values: [priorities, MAX_EXAMINED],
      });
      const { waiting, oldestMs } = rows[0] as (typeof rows)[number];
      return { lane, waiting, oldestMs: Math.max(0, oldestMs) };
    }),
  );
}
