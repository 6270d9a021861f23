import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { insertWithinLimit } from './job-store.js';

export interface NewSlicedImport {
  id: string;
  accountId: string;
  channelId: string;
  groupId: string | null;
  update: boolean;
  fileName: string | null;
  slices: number;
  totalRows: number;
  columns: readonly string[];
  tags: readonly string[];
  delimiter: string | null;
  at: Date;
}

const INSERT_JOB: PlannedStatement = {
  text: `INSERT INTO contact_import_jobs (id, account_id, channel_id, group_id, update, file_name, slices, total_rows,
           columns, delimiter, created_at, input, next_look, tags)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', NULL, $12::text[]
         WHERE (SELECT count(*) FROM contact_import_jobs WHERE channel_id = $3 AND completed_at IS NULL) < $13`,
};

/** Returns false if the channel already has `max` unfinished imports. */
export async function insertSlicedImport(connection: Connection, row: NewSlicedImport, max: number): Promise<boolean> {
  const { id, accountId, channelId, groupId, update, fileName, slices, totalRows, columns, delimiter, at } = row;
  const columnValues = [id, accountId, channelId, groupId, update, fileName, slices, totalRows, columns, delimiter];
  return insertWithinLimit(connection, channelId, {
    ...INSERT_JOB,
    values: [...columnValues, at.toISOString(), row.tags, max],
  });
}

const INSERT_SLICE: PlannedStatement = {
  text: `INSERT INTO contact_import_slices (job_id, position, input)
         SELECT id, $4, $5 FROM contact_import_jobs
         WHERE id = $1 AND channel_id = $2 AND account_id = $3 AND slices > $4 FOR NO KEY UPDATE
         ON CONFLICT DO NOTHING`,
};

/** The import starts when all slices have arrived, in any order. */
const START: PlannedStatement = {
  text: `UPDATE contact_import_jobs j SET next_look = now()
         WHERE id = $1 AND next_look IS NULL AND completed_at IS NULL
           AND slices = (SELECT count(*) FROM contact_import_slices s WHERE s.job_id = j.id)`,
};

export async function insertSlice(
  client: pg.PoolClient,
  { id, accountId, channelId }: { id: string; accountId: string; channelId: string },
  position: number,
  input: string,
): Promise<void> {
  await client.query({ ...INSERT_SLICE, values: [id, channelId, accountId, position, input] });
  await client.query({ ...START, values: [id] });
}

const FIND_NEXT: PlannedStatement = {
  text: 'SELECT position, input FROM contact_import_slices WHERE job_id = $1 AND NOT is_done ORDER BY position LIMIT 1',
};

export async function findNextSlice(
  connection: pg.Pool | pg.PoolClient,
  id: string,
): Promise<{ position: number; input: string } | null> {
  const { rows } = await connection.query<{ position: number; input: string }>({ ...FIND_NEXT, values: [id] });
  return rows[0] ?? null;
}

const FINISH: PlannedStatement = {
  text: 'UPDATE contact_import_slices SET is_done = true, input = $3 WHERE job_id = $1 AND position = $2',
};

/** Replaces the slice's rows with the refused ones. */
export async function finishSlice(client: pg.PoolClient, id: string, position: number, refused: string): Promise<void> {
  await client.query({ ...FINISH, values: [id, position, refused] });
}

const READ_REFUSED: PlannedStatement = {
  text: `SELECT position, input FROM contact_import_slices
         WHERE job_id = $1 AND is_done AND position > $2 AND input <> '' ORDER BY position LIMIT 1`,
};

export async function readRefusedSlice(
  pool: Connection,
  id: string,
  after: number,
): Promise<{ position: number; input: string } | null> {
  const { rows } = await pool.query<{ position: number; input: string }>({ ...READ_REFUSED, values: [id, after] });
  return rows[0] ?? null;
}
