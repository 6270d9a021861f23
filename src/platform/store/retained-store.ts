import type pg from 'pg';

type Queries = Pick<pg.Pool, 'query'>;

/** A transaction from PREPARE TRANSACTION, which survives disconnects and restarts. */
export interface PreparedTransaction {
  name: string;
  seconds: number;
}

export async function readPreparedTransactions(pool: Queries): Promise<PreparedTransaction[]> {
  const { rows } = await pool.query<PreparedTransaction>(
    `SELECT gid AS name, extract(epoch FROM clock_timestamp() - prepared)::float8 AS seconds
     FROM pg_prepared_xacts WHERE database = current_database() ORDER BY prepared`,
  );
  return rows;
}

export interface ReplicationSlot {
  name: string;
  /** Whether a client is reading from the slot. */
  isRead: boolean;
  retainedBytes: number;
}

export async function readReplicationSlots(pool: Queries): Promise<ReplicationSlot[]> {
  const { rows } = await pool.query<ReplicationSlot>(
    `SELECT slot_name AS name, active AS "isRead",
            pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END,
                            restart_lsn)::float8 AS "retainedBytes"
     FROM pg_replication_slots WHERE restart_lsn IS NOT NULL ORDER BY "retainedBytes" DESC`,
  );
  return rows;
}
