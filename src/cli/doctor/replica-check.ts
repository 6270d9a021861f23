import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { pino } from 'pino';
import { openPool, REQUEST_TIMEOUT_MS } from '../../platform/store/connections/pool.js';
import { requireSameDatabase } from '../../platform/store/connections/pooler.js';
import { isStoreUnreachable } from '../../platform/store/failures.js';
import { SERVER_ID } from '../../platform/store/servers/replica-age.js';
import type { Config } from '../../process/settings/config.js';
import { explainWithCauses } from '../explain.js';
import { error, type Finding, ok, warning } from './finding.js';

const CHECK = 'store.replica';
const MAX_CHECK_MS = 10_000;
const QUERY_EVERY_MS = 50;

type Queries = Pick<pg.Pool, 'query'>;

export async function checkReplica(
  primary: { pool: Queries; url: string },
  { databaseReadUrl: url, databaseReadMaxAgeMs: maxAgeMs }: Pick<Config, 'databaseReadUrl' | 'databaseReadMaxAgeMs'>,
): Promise<Finding[]> {
  if (url === undefined) return [];
  const pool = openPool({ url, size: 1, log: pino({ level: 'silent' }), patienceMs: REQUEST_TIMEOUT_MS });
  try {
    await requireSameDatabase({ setting: 'DATABASE_READ_URL', url }, { setting: 'DATABASE_URL', url: primary.url });
    return [await checkReplicaAge(primary.pool, pool, maxAgeMs)];
  } catch (problem) {
    if (!isStoreUnreachable(problem)) {
      const advice =
        'Processes that serve requests do not start with it. Set DATABASE_READ_URL to a replica of DATABASE_URL, or unset it.';
      return [error(CHECK, explainWithCauses(problem), advice)];
    }
    const text = `The replica (DATABASE_READ_URL) is unavailable, so the primary serves its queries: ${explainWithCauses(problem)}.`;
    return [
      warning(
        CHECK,
        text,
        'Nothing fails because of this. Make sure that PostgreSQL runs there and accepts connections from this machine.',
      ),
    ];
  } finally {
    await pool.end();
  }
}

export async function checkReplicaAge(primary: Queries, replica: Queries, maxAgeMs: number): Promise<Finding> {
  const { rows } = await primary.query<{ lsn: string; server: string }>(
    `SELECT pg_current_wal_lsn()::text AS lsn, ${SERVER_ID}`,
  );
  const startedAt = performance.now();
  for (;;) {
    const { isReplica, isThere, replayed, server } = await readReplicaState(replica, rows[0]?.lsn ?? '');
    const ageMs = performance.now() - startedAt;
    if (!isReplica && server !== rows[0]?.server) {
      const text = 'DATABASE_READ_URL is a separate primary: it was a replica of the store and has been promoted.';
      return warning(CHECK, text, 'Queries go to the store itself. Make that server a standby of the store again.');
    }
    if (!isReplica) {
      const text = 'DATABASE_READ_URL is the primary, so it takes no load off the primary.';
      return warning(CHECK, text, 'Set it to a standby, or unset it. This can happen for a while after a failover.');
    }
    if (isThere) {
      const text = `The replica is in use; its data is ${formatSeconds(ageMs)} old (maximum ${formatSeconds(maxAgeMs)}).`;
      return ok(CHECK, text);
    }
    if (ageMs > Math.min(maxAgeMs, MAX_CHECK_MS)) {
      const lastTransaction = replayed
        ? `its last transaction is from ${replayed}`
        : 'it has applied no transaction yet';
      const text = `The data of the replica is more than ${formatSeconds(ageMs)} old (${lastTransaction}; maximum ${formatSeconds(maxAgeMs)})`;
      // The check ends before the allowed lag has passed, so the replica may still be recent enough.
      if (maxAgeMs > MAX_CHECK_MS) return ok(CHECK, `${text}.`);
      const advice =
        'Nothing fails because of this. Check pg_stat_replication on the primary, and whether replay is paused.';
      return warning(CHECK, `${text}, so the primary serves its queries.`, advice);
    }
    await pause(QUERY_EVERY_MS);
  }
}

async function readReplicaState(replica: Queries, lsn: string) {
  const { rows } = await replica.query<{
    isReplica: boolean;
    isThere: boolean;
    replayed: string | null;
    server: string;
  }>(
    `SELECT pg_is_in_recovery() AS "isReplica", ${SERVER_ID},
       coalesce(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() >= $1::pg_lsn ELSE true END, false) AS "isThere",
       to_char(pg_last_xact_replay_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS replayed`,
    [lsn],
  );
  return rows[0] ?? { isReplica: false, isThere: false, replayed: null, server: '' };
}

const formatSeconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
