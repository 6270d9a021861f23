import type pg from 'pg';

type Queries = Pick<pg.Pool, 'query'>;

const MAX_ROWS = 100_000;

export interface Waiting {
  /** `urgent` or `bulk`. */
  lane: string;
  /** `due` messages can be sent now, `retry` messages wait for a retry, and `scheduled` messages for their time. */
  state: 'due' | 'sending' | 'retry' | 'scheduled';
  messages: number;
  oldestSeconds: number;
}

export async function readWaiting(pool: Queries): Promise<Waiting[]> {
  const { rows } = await pool.query<Waiting>(
    `WITH sample AS (
       SELECT priority, status, not_before, scheduled_at, sending_at, created_at FROM messages
       WHERE next_look IS NOT NULL ORDER BY priority, next_look LIMIT $1
     ), waiting AS (
       SELECT CASE WHEN priority >= 2 THEN 'urgent' ELSE 'bulk' END AS lane,
              CASE WHEN status = 'sending' THEN 'sending'
                   WHEN not_before IS NULL OR not_before <= now() THEN 'due'
                   WHEN scheduled_at >= now() THEN 'scheduled' ELSE 'retry' END AS state,
              CASE WHEN status = 'sending' THEN coalesce(sending_at, created_at)
                   ELSE greatest(created_at, scheduled_at) END AS since
       FROM sample WHERE status IN ('queued', 'sending')
     )
     SELECT lane, state, count(*)::int AS messages,
            greatest(0, extract(epoch FROM now() - min(since)))::float8 AS "oldestSeconds"
     FROM waiting GROUP BY lane, state ORDER BY lane DESC, state`,
    [MAX_ROWS],
  );
  return rows;
}

export interface CallbackBacklog {
  waiting: number;
  oldestSeconds: number;
  setAside: number;
}

export async function readCallbackBacklog(pool: Queries): Promise<CallbackBacklog> {
  const { rows } = await pool.query<CallbackBacklog>(
    `SELECT count(*) FILTER (WHERE set_aside_at IS NULL)::int AS waiting,
            coalesce(extract(epoch FROM now() - min(received_at) FILTER (WHERE set_aside_at IS NULL)), 0)::float8 AS "oldestSeconds",
            count(*) FILTER (WHERE set_aside_at IS NOT NULL)::int AS "setAside"
     FROM (SELECT set_aside_at, received_at FROM carrier_callbacks ORDER BY id LIMIT $1) sample`,
    [MAX_ROWS],
  );
  return rows[0] as CallbackBacklog;
}

export interface WebhookHealth {
  active: number;
  /** Webhooks that the server has disabled because they returned 410 or failed for days. */
  disabled: number;
  failing: number;
  /** Hosts of callback URLs to which every delivery fails. */
  failingHosts: number;
  due: number;
  lagSeconds: number;
}

export async function readWebhookHealth(pool: Queries): Promise<WebhookHealth> {
  const { rows } = await pool.query<WebhookHealth>(
    `SELECT count(*) FILTER (WHERE is_active)::int AS active,
            count(*) FILTER (WHERE NOT is_active AND disabled_reason IS NOT NULL)::int AS disabled,
            count(*) FILTER (WHERE is_active AND NOT is_callback AND failing_since IS NOT NULL)::int AS failing,
            count(*) FILTER (WHERE is_callback AND failing_since IS NOT NULL)::int AS "failingHosts",
            coalesce(sum(d.due), 0)::int AS due,
            coalesce(extract(epoch FROM now() - min(d.oldest)), 0)::float8 AS "lagSeconds"
     FROM webhooks w LEFT JOIN LATERAL (
       SELECT count(*) AS due, min(next_attempt_at) AS oldest FROM (
         SELECT next_attempt_at FROM webhook_deliveries
         WHERE webhook_id = w.id AND next_attempt_at <= now() AND w.is_active AND w.failing_since IS NULL
         ORDER BY next_attempt_at LIMIT 1000
       ) first
     ) d ON true`,
  );
  return rows[0] as WebhookHealth;
}

export interface People {
  accounts: number;
  disabledAccounts: number;
  keys: number;
  operators: number;
}

export async function readPeople(pool: Queries): Promise<People> {
  const { rows } = await pool.query<People>(
    `SELECT (SELECT count(*)::int FROM accounts) AS accounts,
            (SELECT count(*)::int FROM accounts WHERE NOT is_active) AS "disabledAccounts",
            (SELECT count(*)::int FROM api_keys WHERE revoked_at IS NULL) AS keys,
            (SELECT count(*)::int FROM operators WHERE is_active) AS operators`,
  );
  return rows[0] as People;
}

export interface PausedChannel {
  id: string;
  name: string;
  reason: string | null;
}

export async function readPausedChannels(pool: Queries): Promise<PausedChannel[]> {
  const { rows } = await pool.query<PausedChannel>(
    'SELECT id, name, pause_reason AS reason FROM channels WHERE paused_at IS NOT NULL ORDER BY paused_at',
  );
  return rows;
}
