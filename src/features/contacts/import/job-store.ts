import type pg from 'pg';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { daysAgo, deleteInSteps, idDaysAgo, type SweepOptions } from '../../../platform/store/sweep.js';
import { type Connection, withTransaction } from '../../../platform/store/with-transaction.js';
import type { CustomColumns } from '../custom/columns.js';

/** Leased to this process. */
export interface OwnedImport {
  id: string;
  accountId: string;
  channelId: string;
  kind: ChannelKind;
  groupId: string | null;
  update: boolean;
  /** All contacts get these tags. */
  tags: string[];
  /** Columns of tags and of the account's fields; null for imports of an older version. */
  fieldColumns: CustomColumns | null;
  /** The CSV delimiter, or null for a JSON list. */
  delimiter: string | null;
  input: string;
  slices: number | null;
  rows: number;
  keptRefused: number;
  startedAt: Date;
}

/** The field `cells` is used only in the CSV of refused rows. */
export interface ShownRefusal {
  row: number;
  phone: string | null;
  reason: string;
  cells?: readonly string[];
}

/** How long a lease lasts by PostgreSQL's clock, unless a batch renews it. */
const LEASE_SECONDS = 30;

export interface NewImport
  extends Pick<OwnedImport, 'id' | 'accountId' | 'channelId' | 'groupId' | 'update' | 'tags' | 'fieldColumns'> {
  delimiter: string | null;
  /** CSV column names. */
  columns: readonly string[];
  input: string;
  at: Date;
}

const INSERT: PlannedStatement = {
  text: `INSERT INTO contact_import_jobs (id, account_id, channel_id, group_id, update, delimiter, columns, input,
           created_at, tags, field_columns)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text[], $11::jsonb
         WHERE (SELECT count(*) FROM contact_import_jobs WHERE channel_id = $3 AND completed_at IS NULL) < $12`,
};

const LOCK_CHANNEL_IMPORTS = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** Locks the channel's imports, so that concurrent inserts do not exceed the limit. */
export async function insertWithinLimit(
  connection: Connection,
  channelId: string,
  statement: { text: string; values: unknown[] },
): Promise<boolean> {
  return withTransaction(connection, async (client) => {
    // The lock is a separate statement, so that the insert sees what the previous holder of the lock has committed.
    await client.query(LOCK_CHANNEL_IMPORTS, [`heliograph imports ${channelId}`]);
    const { rowCount } = await client.query(statement);
    return rowCount === 1;
  });
}

/** Returns false if the channel already has `max` unfinished imports. */
export async function insertImport(connection: Connection, row: NewImport, max: number): Promise<boolean> {
  const { id, accountId, channelId, groupId, update, delimiter, columns, input, at, tags, fieldColumns } = row;
  const options = [id, accountId, channelId, groupId, update, delimiter, columns, input, at.toISOString()];
  const values = [...options, tags, JSON.stringify(fieldColumns), max];
  return insertWithinLimit(connection, channelId, { ...INSERT, values });
}

const CLAIM: PlannedStatement = {
  text: `
UPDATE contact_import_jobs j SET status = 'running', next_look = now() + $1 * interval '1 second'
FROM (SELECT id FROM contact_import_jobs WHERE next_look <= now() ORDER BY next_look LIMIT 1 FOR UPDATE SKIP LOCKED) due
WHERE j.id = due.id
RETURNING j.id, j.account_id AS "accountId", j.channel_id AS "channelId",
          (SELECT kind FROM channels WHERE id = j.channel_id) AS kind, j.group_id AS "groupId", j.update, coalesce(j.tags, '{}') AS tags,
          j.field_columns AS "fieldColumns", j.delimiter,
          j.input, j.slices, j.rows, jsonb_array_length(j.refused_rows) AS "keptRefused", j.started_at AS "startedAt"`,
};

export async function claimImportJob(pool: pg.Pool): Promise<OwnedImport | null> {
  const { rows } = await pool.query<OwnedImport>({ ...CLAIM, values: [LEASE_SECONDS] });
  return rows[0] ?? null;
}

const SET_TOTAL: PlannedStatement = { text: 'UPDATE contact_import_jobs SET total_rows = $2 WHERE id = $1' };

export async function setTotal(pool: pg.Pool, id: string, total: number): Promise<void> {
  await pool.query({ ...SET_TOTAL, values: [id, total] });
}

const LOCK: PlannedStatement = {
  text: "SELECT 1 FROM contact_import_jobs WHERE id = $1 AND rows = $2 AND status = 'running' FOR NO KEY UPDATE",
};

/** Returns false if another process has taken over the import. */
export async function lockImport(client: pg.PoolClient, id: string, rows: number): Promise<boolean> {
  const { rowCount } = await client.query({ ...LOCK, values: [id, rows] });
  return rowCount === 1;
}

export interface BatchCounts {
  rows: number;
  created: number;
  updated: number;
  present: number;
  refused: number;
}

const ADVANCE: PlannedStatement = {
  text: `UPDATE contact_import_jobs SET rows = rows + $2, created = created + $3, updated = updated + $4,
           present = present + $5, refused = refused + $6, refused_rows = refused_rows || $7::jsonb,
           next_look = now() + $8 * interval '1 second'
         WHERE id = $1`,
};

/** Also renews the lease. */
export async function advanceImport(
  client: pg.PoolClient,
  id: string,
  { rows, created, updated, present, refused }: BatchCounts,
  refusals: readonly ShownRefusal[],
): Promise<void> {
  const values = [id, rows, created, updated, present, refused, JSON.stringify(refusals), LEASE_SECONDS];
  await client.query({ ...ADVANCE, values });
}

const END: PlannedStatement = {
  text: `UPDATE contact_import_jobs SET status = (CASE WHEN $2::text IS NULL THEN 'completed' ELSE 'failed' END)::import_status,
           error_message = $2, completed_at = $3, next_look = NULL, input = ''
         WHERE id = $1 AND next_look IS NOT NULL`,
};

/**
 * Deletes the input.
 * @param errorMessage Null after success
 */
export async function endImportJob(pool: pg.Pool, id: string, errorMessage: string | null, at: Date): Promise<void> {
  await pool.query({ ...END, values: [id, errorMessage, at.toISOString()] });
}

const RELEASE: PlannedStatement = {
  text: 'UPDATE contact_import_jobs SET next_look = now() WHERE id = $1 AND rows = $2',
};

export async function releaseImport(pool: pg.Pool, id: string, rows: number): Promise<void> {
  await pool.query({ ...RELEASE, values: [id, rows] });
}

const RETENTION_DAYS = 30;

const DELETE_ENDED = `
DELETE FROM contact_import_jobs WHERE id IN (
  SELECT id FROM contact_import_jobs WHERE id < $2::uuid AND completed_at < $3
  ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const UNFINISHED_DAYS = 1;

const DELETE_UNFINISHED = `
DELETE FROM contact_import_jobs WHERE id IN (
  SELECT id FROM contact_import_jobs WHERE id < $2::uuid AND completed_at IS NULL AND next_look IS NULL
  ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`;

/** Also deletes imports some of whose slices never arrived. */
export async function sweepImports(options: SweepOptions): Promise<void> {
  const values = [idDaysAgo(options.now, RETENTION_DAYS), daysAgo(options.now, RETENTION_DAYS)];
  await deleteInSteps(options, [
    { text: DELETE_ENDED, values },
    { text: DELETE_UNFINISHED, values: [idDaysAgo(options.now, UNFINISHED_DAYS)] },
  ]);
}
