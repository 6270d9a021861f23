import type pg from 'pg';
import type { Statement } from '../store/connections/pool.js';

/** Where what is stale is told, from process to process. */
export const LIVE_CHANNEL = 'heliograph_live';

/** Held, shared, by every process in which somebody watches. */
const WATCHED = 1_212_173_397;

/**
 * A notification writes to disk as any commit does. So it is only made where somebody watches, which their lock tells and
 * which is asked without writing.
 */
const PUBLISH: Statement = {
  name: 'live-publish',
  text: `SELECT pg_notify('${LIVE_CHANNEL}', $1) WHERE EXISTS (
           SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = ${WATCHED} AND granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
};

/** Tells all processes in which somebody watches; a statement of its own, never within a transaction that does more. */
export async function publishLive(pool: pg.Pool, payload: string): Promise<void> {
  await pool.query({ ...PUBLISH, values: [payload] });
}

/** Begins to listen on a connection, and says for as long as it lasts that somebody watches. */
export async function listenLive(client: pg.Client): Promise<void> {
  await client.query(`LISTEN ${LIVE_CHANNEL}`);
  await client.query(`SELECT pg_advisory_lock_shared(${WATCHED})`);
}
