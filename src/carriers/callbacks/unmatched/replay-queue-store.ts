import type pg from 'pg';
import type { PlannedStatement, Statement } from '../../../platform/store/connections/pool.js';
import type { UnmatchedBody } from './replay-store.js';

/** Maximum number of reports in a replay request, because a single statement marks all of them. */
export const MAX_QUEUED_REPLAYS = 10_000;

/** By PostgreSQL's clock. */
const LEASE_SECONDS = 60;

const QUEUE: PlannedStatement = {
  text: `UPDATE kept_reports SET replay_at = now()
         WHERE replay_at IS NULL AND id IN (
           SELECT id FROM kept_reports WHERE carrier = $1 AND ($2::uuid IS NULL OR id = $2) AND replay_at IS NULL
           ORDER BY id LIMIT ${MAX_QUEUED_REPLAYS} FOR UPDATE SKIP LOCKED)`,
};

const QUEUE_SET_ASIDE: PlannedStatement = {
  text: `UPDATE carrier_callbacks SET set_aside_at = NULL, lease_until = NULL, attempts = 0
         WHERE id IN (SELECT id FROM carrier_callbacks WHERE carrier = $1 AND set_aside_at IS NOT NULL
                      ORDER BY id LIMIT ${MAX_QUEUED_REPLAYS} FOR UPDATE SKIP LOCKED)`,
};

export interface QueuedReplays {
  /** Unmatched reports. */
  reports: number;
  callbacks: number;
}

/** If `id` is null, queues all reports and all callbacks that were set aside. */
export async function queueReplay(client: pg.PoolClient, carrier: string, id: string | null): Promise<QueuedReplays> {
  const { rowCount: reports } = await client.query({ ...QUEUE, values: [carrier, id] });
  if (id !== null) return { reports: reports ?? 0, callbacks: 0 };
  const { rowCount: callbacks } = await client.query({ ...QUEUE_SET_ASIDE, values: [carrier] });
  return { reports: reports ?? 0, callbacks: callbacks ?? 0 };
}

const CLAIM: Statement = {
  name: 'kept-reports-claim',
  text: `
UPDATE kept_reports SET replay_at = now() + $2 * interval '1 second'
WHERE id = ANY (ARRAY(
  SELECT id FROM kept_reports WHERE replay_at <= now() ORDER BY replay_at, id LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING id, carrier, form, body, received_at AS "receivedAt"`,
};

export async function claimQueuedReplays(pool: pg.Pool, limit: number): Promise<UnmatchedBody[]> {
  const { rows } = await pool.query<UnmatchedBody>({ ...CLAIM, values: [limit, LEASE_SECONDS] });
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const DEQUEUE: Statement = {
  name: 'kept-reports-leave',
  text: 'UPDATE kept_reports SET replay_at = NULL WHERE id = $1',
};

export async function dequeueReplay(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({ ...DEQUEUE, values: [id] });
}
