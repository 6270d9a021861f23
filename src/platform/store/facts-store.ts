import type pg from 'pg';
import { type ProcessPosition, parseConnectionName, SERVER_NAME } from './connections/connection-name.js';

type Queries = Pick<pg.Pool, 'query'>;

export interface StoreFacts {
  version: string;
  encoding: string;
  /** In bytes. */
  size: number;
  connections: number;
  maxConnections: number;
  isReadOnly: boolean;
  /** Durability settings that are off. */
  unsafe: string[];
  /** Age of the oldest unfrozen row, in transactions. PostgreSQL refuses writes at about two billion. */
  transactionAge: number;
}

export async function readStoreFacts(pool: Queries): Promise<StoreFacts> {
  const { rows } = await pool.query<StoreFacts>(
    `SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
            pg_database_size(current_database())::float8 AS size,
            (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
            current_setting('max_connections')::int AS "maxConnections",
            pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "isReadOnly",
            ARRAY(SELECT name FROM pg_settings
                  WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name) AS unsafe,
            (SELECT age(datfrozenxid)::float8 FROM pg_database WHERE datname = current_database()) AS "transactionAge"`,
  );
  return rows[0] as StoreFacts;
}

/** Returns the number of connections that are not reserved for superusers. */
export async function readConnectionLimit(pool: Queries): Promise<number> {
  const { rows } = await pool.query<{ limit: number }>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0) AS limit`,
  );
  return rows[0]?.limit ?? 0;
}

export interface ConnectedProcess extends ProcessPosition {
  /** Client address that PostgreSQL sees, or an empty string for a Unix socket. */
  machine: string;
  connections: number;
}

export async function readProcesses(pool: Queries): Promise<ConnectedProcess[]> {
  const { rows } = await pool.query<{ name: string; machine: string; connections: number }>(
    `SELECT application_name AS name, coalesce(host(client_addr), '') AS machine, count(*)::int AS connections
     FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE '${SERVER_NAME} %/%'
     GROUP BY 1, 2`,
  );
  return rows
    .flatMap(({ name, ...counts }) => {
      const position = parseConnectionName(name);
      return position ? [{ ...position, ...counts }] : [];
    })
    .sort((a, b) => a.number - b.number);
}

export interface Bloat {
  table: string;
  live: number;
  dead: number;
}

/**
 * Returns tables, worst first, in which dead rows exceed both `share` of all rows and `thresholdFactor` times autovacuum's
 * threshold.
 */
export async function readBloat(
  pool: Queries,
  { share, minRows, thresholdFactor }: { share: number; minRows: number; thresholdFactor: number },
): Promise<Bloat[]> {
  const { rows } = await pool.query<Bloat>(
    `WITH tables AS (
       SELECT s.relname, n_live_tup::float8 AS live, n_dead_tup::float8 AS dead, greatest(c.reltuples, 0) AS rows,
              (SELECT jsonb_object_agg(option_name, option_value) FROM pg_options_to_table(c.reloptions)) AS own
       FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
     ), due AS (
       SELECT *, coalesce((own ->> 'autovacuum_vacuum_threshold')::float8,
                          current_setting('autovacuum_vacuum_threshold')::float8)
                 + coalesce((own ->> 'autovacuum_vacuum_scale_factor')::float8,
                            current_setting('autovacuum_vacuum_scale_factor')::float8) * rows AS threshold
       FROM tables
     )
     SELECT relname AS "table", live, dead FROM due
     WHERE live + dead >= $1 AND dead > $2::float8 * (live + dead) AND dead > $3::float8 * threshold
     ORDER BY dead DESC`,
    [minRows, share, thresholdFactor],
  );
  return rows;
}

/** PostgreSQL cannot remove dead rows that the oldest transaction might still see. */
export interface OldTransaction {
  pid: number;
  seconds: number;
  application: string;
  state: string;
}

export async function readOldestTransaction(pool: Queries): Promise<OldTransaction | null> {
  const { rows } = await pool.query<OldTransaction>(
    `SELECT pid, extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds,
            coalesce(application_name, '') AS application, coalesce(state, '') AS state
     FROM pg_stat_activity
     WHERE datname = current_database() AND xact_start IS NOT NULL AND backend_type = 'client backend'
       AND pid <> pg_backend_pid()
     ORDER BY xact_start LIMIT 1`,
  );
  return rows[0] ?? null;
}

/** In milliseconds since 1970. */
export async function readStoreClock(pool: Queries): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  return rows[0]?.ms ?? Number.NaN;
}
