import type pg from 'pg';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';

/** An authenticated request of Surface B. */
export interface ApiRequest {
  /** UUIDv7 that is generated before the first attempt to store the request. */
  id: string;
  channelId: string;
  /** Without the query. */
  endpoint: string;
  method: string;
  statusCode: number;
  /** Milliseconds. */
  responseTime: number;
  /** Business time of arrival. */
  createdAt: Date;
}

export interface UsageSummary {
  requestCount: number;
  /** In UTC. */
  monthlyRequestCount: number;
  lastUsedAt: Date | null;
}

export interface UsageBreakdown {
  last24Hours: number;
  last7Days: number;
  total: number;
  /** Newest first. */
  recentRequests: Omit<ApiRequest, 'id' | 'channelId'>[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MAX_RECENT = 20;

/**
 * Only inserted rows are counted, so repeating the statement after a lost response is safe. To avoid deadlocks,
 * processes lock the counts in the order of channel IDs.
 */
const RECORD_REQUESTS: Statement = {
  name: 'usage-record',
  text: `
WITH recorded AS (
  INSERT INTO api_requests (id, channel_id, endpoint, method, status_code, response_time, created_at)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::float8[], $7::timestamptz[])
  ON CONFLICT (id) DO NOTHING
  RETURNING channel_id, created_at
), minutes AS (
  INSERT INTO usage_minutes (channel_id, minute, requests)
  SELECT channel_id, date_trunc('minute', created_at, 'UTC'), count(*) FROM recorded GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (channel_id, minute) DO UPDATE SET requests = usage_minutes.requests + excluded.requests
), months AS (
  SELECT channel_id, date_trunc('month', created_at AT TIME ZONE 'UTC')::date AS month, count(*) AS requests,
         max(created_at) AS last_used_at
  FROM recorded GROUP BY 1, 2
)
INSERT INTO usage_totals AS current (channel_id, total, month, month_requests, last_used_at)
SELECT channel_id, sum(requests), max(month), (array_agg(requests ORDER BY month DESC))[1], max(last_used_at)
FROM months GROUP BY channel_id ORDER BY channel_id
ON CONFLICT (channel_id) DO UPDATE SET
  total = current.total + excluded.total,
  month = greatest(current.month, excluded.month),
  month_requests = CASE
    WHEN excluded.month > current.month THEN excluded.month_requests
    WHEN excluded.month = current.month THEN current.month_requests + excluded.month_requests
    ELSE current.month_requests
  END,
  last_used_at = greatest(current.last_used_at, excluded.last_used_at)`,
};

export async function recordRequests(pool: pg.Pool, requests: readonly ApiRequest[]): Promise<void> {
  const values = [
    requests.map(({ id }) => id),
    requests.map(({ channelId }) => channelId),
    requests.map(({ endpoint }) => endpoint),
    requests.map(({ method }) => method),
    requests.map(({ statusCode }) => statusCode),
    requests.map(({ responseTime }) => responseTime),
    requests.map(({ createdAt }) => createdAt.toISOString()),
  ];
  await pool.query({ ...RECORD_REQUESTS, values });
}

const READ_SUMMARY: PlannedStatement = {
  text: `SELECT total, last_used_at AS "lastUsedAt",
                CASE WHEN month = date_trunc('month', $2::timestamptz AT TIME ZONE 'UTC')::date
                     THEN month_requests ELSE 0 END AS "monthRequests"
         FROM usage_totals WHERE channel_id = $1`,
};

/** @param now business time that determines the current month */
export async function readSummary({ pool }: { pool: pg.Pool }, channelId: string, now: Date): Promise<UsageSummary> {
  const { rows } = await pool.query<{ total: string; monthRequests: string; lastUsedAt: Date }>({
    ...READ_SUMMARY,
    values: [channelId, now.toISOString()],
  });
  const row = rows[0];
  return {
    requestCount: Number(row?.total ?? 0),
    monthlyRequestCount: Number(row?.monthRequests ?? 0),
    lastUsedAt: row?.lastUsedAt ?? null,
  };
}

/** Adds the counts of whole minutes to the single requests of the minute in which the time window starts. */
const READ_COUNTS: PlannedStatement = {
  text: `
SELECT whole.day + (SELECT count(*) FROM api_requests
                    WHERE channel_id = $1 AND created_at > $2 AND created_at < $3) AS day,
       whole.week + (SELECT count(*) FROM api_requests
                     WHERE channel_id = $1 AND created_at > $4 AND created_at < $5) AS week,
       coalesce((SELECT total FROM usage_totals WHERE channel_id = $1), 0) AS total
FROM (SELECT coalesce(sum(requests), 0) AS week, coalesce(sum(requests) FILTER (WHERE minute >= $3), 0) AS day
      FROM usage_minutes WHERE channel_id = $1 AND minute >= $5) AS whole`,
};

/**
 * The per-minute counts limit how far back requests are read, because PostgreSQL would otherwise sort all requests of a
 * fast-growing channel.
 */
const READ_RECENT: PlannedStatement = {
  text: `
SELECT endpoint, method, status_code AS "statusCode", response_time AS "responseTime", created_at AS "createdAt"
FROM api_requests
WHERE channel_id = $1 AND created_at >= coalesce((
  SELECT minute FROM (
    SELECT minute, sum(requests) OVER (ORDER BY minute DESC) AS requests FROM usage_minutes WHERE channel_id = $1
  ) AS newest WHERE requests >= ${MAX_RECENT} ORDER BY minute DESC LIMIT 1
), '-infinity')
ORDER BY created_at DESC, id DESC LIMIT ${MAX_RECENT}`,
};

/** @param now business time at which both time windows end */
export async function readBreakdown(
  { pool }: { pool: pg.Pool },
  channelId: string,
  now: Date,
): Promise<UsageBreakdown> {
  const [counts, recent] = await Promise.all([
    pool.query<{ day: string; week: string; total: string }>({
      ...READ_COUNTS,
      values: [channelId, ...splitFirstMinute(now, DAY_MS), ...splitFirstMinute(now, 7 * DAY_MS)],
    }),
    pool.query<UsageBreakdown['recentRequests'][number]>({ ...READ_RECENT, values: [channelId] }),
  ]);
  const [row] = counts.rows;
  return {
    last24Hours: Number(row?.day),
    last7Days: Number(row?.week),
    total: Number(row?.total),
    recentRequests: recent.rows,
  };
}

function splitFirstMinute(now: Date, lengthMs: number): [start: string, wholeFrom: string] {
  const start = now.getTime() - lengthMs;
  const wholeFrom = (Math.floor(start / MINUTE_MS) + 1) * MINUTE_MS;
  return [new Date(start).toISOString(), new Date(wholeFrom).toISOString()];
}
