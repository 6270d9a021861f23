import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { WrittenFields } from '../contacts/contact-fields.js';

export interface RefusedRows {
  jobId: string;
  /** Number of the import slice, or null for rows of the import itself. */
  slice: number | null;
  position: number;
  rows: (Partial<WrittenFields> & {
    row: number;
    phone?: string | null;
    userId?: string;
    reason?: string;
    cells?: string[];
  })[];
}

interface BatchKey {
  jobId: string;
  position: number;
}

const FIND_IN_IMPORTS: PlannedStatement = {
  text: `SELECT id AS "jobId", NULL AS slice, 0 AS position, refused_rows AS rows FROM contact_import_jobs
         WHERE channel_id = ANY($1::uuid[]) AND id > $2 AND completed_at IS NOT NULL AND refused_rows <> '[]'
         ORDER BY id LIMIT 20`,
};

export async function findRefusedInImports(
  pool: pg.Pool,
  channelIds: readonly string[],
  { jobId }: BatchKey,
): Promise<RefusedRows[]> {
  const { rows } = await pool.query<RefusedRows>({ ...FIND_IN_IMPORTS, values: [channelIds, jobId] });
  return rows;
}

const FIND_IN_SLICES: PlannedStatement = {
  text: `SELECT s.job_id AS "jobId", s.position AS slice, s.position, s.input AS rows
         FROM contact_import_slices s JOIN contact_import_jobs j ON j.id = s.job_id
         WHERE j.channel_id = ANY($1::uuid[]) AND j.completed_at IS NOT NULL AND s.input <> ''
           AND (s.job_id, s.position) > ($2::uuid, $3::int)
         ORDER BY s.job_id, s.position LIMIT 20`,
};

export async function findRefusedInSlices(
  pool: pg.Pool,
  channelIds: readonly string[],
  { jobId, position }: BatchKey,
): Promise<RefusedRows[]> {
  const values = [channelIds, jobId, position];
  const { rows } = await pool.query<Omit<RefusedRows, 'rows'> & { rows: string }>({ ...FIND_IN_SLICES, values });
  // Rows are parsed here, because PostgreSQL's JSON rejects NUL and lone surrogates, which imported rows may contain.
  return rows.map((entry) => ({ ...entry, rows: JSON.parse(entry.rows) as RefusedRows['rows'] }));
}

const WRITE_IMPORT: PlannedStatement = {
  text: 'UPDATE contact_import_jobs SET refused_rows = $2::jsonb WHERE id = $1',
};

const WRITE_SLICE: PlannedStatement = {
  text: 'UPDATE contact_import_slices SET input = $2 WHERE job_id = $1 AND position = $3',
};

export async function writeRefusedRows(client: pg.PoolClient, entries: readonly RefusedRows[]): Promise<void> {
  for (const { jobId, slice, rows } of entries) {
    const values = [jobId, JSON.stringify(rows)];
    if (slice === null) await client.query({ ...WRITE_IMPORT, values });
    else await client.query({ ...WRITE_SLICE, values: [...values, slice] });
  }
}
