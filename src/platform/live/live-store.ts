import type pg from 'pg';
import type { Statement } from '../store/connections/pool.js';

export const LIVE_CHANNEL = 'heliograph_live';

/** Every process with a console page to notify holds this advisory lock in shared mode. */
const WATCHER_LOCK = 1_212_173_397;

/** A notification costs a disk write, so it is sent only if some process holds the watcher lock. */
const PUBLISH: Statement = {
  name: 'live-publish',
  text: `SELECT pg_notify('${LIVE_CHANNEL}', $1) WHERE EXISTS (
           SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = ${WATCHER_LOCK} AND granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
};

/** Do not call `publishLive` inside a transaction. */
export async function publishLive(pool: pg.Pool, payload: string): Promise<void> {
  await pool.query({ ...PUBLISH, values: [payload] });
}

/** Marks this process as a watcher for as long as the connection lasts. */
export async function listenLive(client: pg.Client): Promise<void> {
  await client.query(`LISTEN ${LIVE_CHANNEL}`);
  await client.query(`SELECT pg_advisory_lock_shared(${WATCHER_LOCK})`);
}
