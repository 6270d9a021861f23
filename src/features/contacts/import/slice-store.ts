import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/within.js';
import { insertCounted } from './job-store.js';

/** A new import whose input comes in slices. */
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
  delimiter: string | null;
  at: Date;
}

const INSERT_JOB: PlannedStatement = {
  text: `INSERT INTO contact_import_jobs (id, account_id, channel_id, group_id, update, file_name, slices, total_rows,
           columns, delimiter, created_at, input, next_look)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', NULL
         WHERE (SELECT count(*) FROM contact_import_jobs WHERE channel_id = $3 AND completed_at IS NULL) < $12`,
};

/** @returns whether it was inserted: not where the channel has so many that are not done */
export async function insertSlicedImport(connection: Connection, made: NewSlicedImport, max: number): Promise<boolean> {
  const { id, accountId, channelId, groupId, update, fileName, slices, totalRows, columns, delimiter, at } = made;
  const of = [id, accountId, channelId, groupId, update, fileName, slices, totalRows, columns, delimiter];
  return insertCounted(connection, channelId, { ...INSERT_JOB, values: [...of, at.toISOString(), max] });
}

const INSERT_SLICE: PlannedStatement = {
  text: `INSERT INTO contact_import_slices (job_id, position, input)
         SELECT id, $4, $5 FROM contact_import_jobs
         WHERE id = $1 AND channel_id = $2 AND account_id = $3 AND slices > $4 FOR NO KEY UPDATE
         ON CONFLICT DO NOTHING`,
};

/** The import begins with its last slice, in whatever order they came. */
const BEGIN: PlannedStatement = {
  text: `UPDATE contact_import_jobs j SET next_look = now()
         WHERE id = $1 AND next_look IS NULL AND completed_at IS NULL
           AND slices = (SELECT count(*) FROM contact_import_slices s WHERE s.job_id = j.id)`,
};

/** Keeps a slice of an import; one that came before stays as it is. */
export async function insertSlice(
  client: pg.PoolClient,
  { id, accountId, channelId }: { id: string; accountId: string; channelId: string },
  position: number,
  input: string,
): Promise<void> {
  await client.query({ ...INSERT_SLICE, values: [id, channelId, accountId, position, input] });
  await client.query({ ...BEGIN, values: [id] });
}

const NEXT: PlannedStatement = {
  text: 'SELECT position, input FROM contact_import_slices WHERE job_id = $1 AND NOT is_done ORDER BY position LIMIT 1',
};

/** The first slice that is not done; null when all are. */
export async function nextSlice(
  connection: pg.Pool | pg.PoolClient,
  id: string,
): Promise<{ position: number; input: string } | null> {
  const { rows } = await connection.query<{ position: number; input: string }>({ ...NEXT, values: [id] });
  return rows[0] ?? null;
}

const FINISH: PlannedStatement = {
  text: 'UPDATE contact_import_slices SET is_done = true, input = $3 WHERE job_id = $1 AND position = $2',
};

/** Puts the refused rows of a slice in the place of its rows. */
export async function finishSlice(client: pg.PoolClient, id: string, position: number, refused: string): Promise<void> {
  await client.query({ ...FINISH, values: [id, position, refused] });
}

const READ_REFUSED: PlannedStatement = {
  text: `SELECT position, input FROM contact_import_slices
         WHERE job_id = $1 AND is_done AND position > $2 AND input <> '' ORDER BY position LIMIT 1`,
};

/** The refused rows of the next slice that has some; null behind the last. */
export async function readRefusedSlice(
  pool: Connection,
  id: string,
  after: number,
): Promise<{ position: number; input: string } | null> {
  const { rows } = await pool.query<{ position: number; input: string }>({ ...READ_REFUSED, values: [id, after] });
  return rows[0] ?? null;
}
