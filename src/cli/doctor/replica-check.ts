import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { pino } from 'pino';
import { openPool, REQUEST_PATIENCE_MS } from '../../platform/store/connections/pool.js';
import { isStoreAway } from '../../platform/store/failures.js';
import { expectSameDatabase } from '../../platform/store/reaching/pooler.js';
import { SERVER } from '../../platform/store/reaching/replica-age.js';
import type { Config } from '../../process/settings/config.js';
import { explainDeep } from '../explain.js';
import { error, type Finding, ok, warning } from './finding.js';

const CHECK = 'store.replica';
/** No look takes longer, however old the replica may be. */
const LONGEST_MS = 10_000;
const ASK_EVERY_MS = 50;

type Asked = Pick<pg.Pool, 'query'>;

/**
 * Whether what only reads goes to the replica of DATABASE_READ_URL, and if not, why.
 * @param primary a pool of the store, and its URL
 */
export async function checkReplica(
  primary: { pool: Asked; url: string },
  { databaseReadUrl: url, databaseReadMaxAgeMs: maxAgeMs }: Pick<Config, 'databaseReadUrl' | 'databaseReadMaxAgeMs'>,
): Promise<Finding[]> {
  if (url === undefined) return [];
  const pool = openPool({ url, size: 1, log: pino({ level: 'silent' }), patienceMs: REQUEST_PATIENCE_MS });
  try {
    await expectSameDatabase({ setting: 'DATABASE_READ_URL', url }, { setting: 'DATABASE_URL', url: primary.url });
    return [await findingOfAge(primary.pool, pool, maxAgeMs)];
  } catch (problem) {
    if (!isStoreAway(problem)) {
      const advice =
        'A process that serves does not start with it. Let it name a replica of DATABASE_URL, or unset it.';
      return [error(CHECK, explainDeep(problem), advice)];
    }
    const text = `The replica (DATABASE_READ_URL) is away, and the primary is read: ${explainDeep(problem)}.`;
    return [warning(CHECK, text, 'Nothing fails for it. See that PostgreSQL runs there and lets this machine in.')];
  } finally {
    await pool.end();
  }
}

/** Waits until the replica shows what the primary has written by now, for as long as the replica may be old. */
export async function findingOfAge(primary: Asked, replica: Asked, maxAgeMs: number): Promise<Finding> {
  const { rows } = await primary.query<{ lsn: string; server: string }>(
    `SELECT pg_current_wal_lsn()::text AS lsn, ${SERVER}`,
  );
  const from = performance.now();
  for (;;) {
    const { isReplica, isThere, replayed, server } = await placeOf(replica, rows[0]?.lsn ?? '');
    const ageMs = performance.now() - from;
    if (!isReplica && server !== rows[0]?.server) {
      const text =
        'DATABASE_READ_URL leads to a primary that is not the store: it was a replica, and has gone its own way.';
      return warning(CHECK, text, 'The store itself is read. Make that server a standby of the store again.');
    }
    if (!isReplica) {
      const text = 'DATABASE_READ_URL leads to a primary: it is read, and nothing is taken from its work.';
      return warning(CHECK, text, 'Let it name a standby, or unset it. After a failover that may be so for a while.');
    }
    if (isThere) {
      const text = `The replica is read: it shows what was ${inSeconds(ageMs)} ago (it may be ${inSeconds(maxAgeMs)}).`;
      return ok(CHECK, text);
    }
    if (ageMs > Math.min(maxAgeMs, LONGEST_MS)) {
      const last = replayed ? `its last transaction is of ${replayed}` : 'it has applied no transaction yet';
      const text = `The replica is more than ${inSeconds(ageMs)} old (${last}; it may be ${inSeconds(maxAgeMs)})`;
      // Nobody waits here for as long as that, so it is not known whether it is too old.
      if (maxAgeMs > LONGEST_MS) return ok(CHECK, `${text}.`);
      const advice = 'Nothing fails for it. See pg_stat_replication of the primary, and whether replay is paused.';
      return warning(CHECK, `${text}, and the primary is read.`, advice);
    }
    await pause(ASK_EVERY_MS);
  }
}

async function placeOf(replica: Asked, lsn: string) {
  const { rows } = await replica.query<{
    isReplica: boolean;
    isThere: boolean;
    replayed: string | null;
    server: string;
  }>(
    `SELECT pg_is_in_recovery() AS "isReplica", ${SERVER},
       coalesce(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() >= $1::pg_lsn ELSE true END, false) AS "isThere",
       to_char(pg_last_xact_replay_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS replayed`,
    [lsn],
  );
  return rows[0] ?? { isReplica: false, isThere: false, replayed: null, server: '' };
}

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
