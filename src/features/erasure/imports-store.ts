import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { WrittenFields } from '../contacts/contact-fields.js';

/** The rows that an import, or a slice of one, keeps. */
export interface RefusalRow {
  jobId: string;
  /** Of the slice; null: those of the import itself. */
  slice: number | null;
  /** Where the next look begins. */
  position: number;
  rows: (Partial<WrittenFields> & {
    row: number;
    phone?: string | null;
    userId?: string;
    reason?: string;
    cells?: string[];
  })[];
}

interface Key {
  jobId: string;
  position: number;
}

const OF_JOBS: PlannedStatement = {
  text: `SELECT id AS "jobId", NULL AS slice, 0 AS position, refused_rows AS rows FROM contact_import_jobs
         WHERE channel_id = ANY($1::uuid[]) AND id > $2 AND completed_at IS NOT NULL AND refused_rows <> '[]'
         ORDER BY id LIMIT 20`,
};

/** The rows that imports keep which are done, behind one of them. */
export async function findRefusals(
  pool: pg.Pool,
  channelIds: readonly string[],
  { jobId }: Key,
): Promise<RefusalRow[]> {
  const { rows } = await pool.query<RefusalRow>({ ...OF_JOBS, values: [channelIds, jobId] });
  return rows;
}

const OF_SLICES: PlannedStatement = {
  text: `SELECT s.job_id AS "jobId", s.position AS slice, s.position, s.input AS rows
         FROM contact_import_slices s JOIN contact_import_jobs j ON j.id = s.job_id
         WHERE j.channel_id = ANY($1::uuid[]) AND j.completed_at IS NOT NULL AND s.input <> ''
           AND (s.job_id, s.position) > ($2::uuid, $3::int)
         ORDER BY s.job_id, s.position LIMIT 20`,
};

/** The rows that slices keep of imports which are done, behind one of them. */
export async function findRefusalsOfSlices(
  pool: pg.Pool,
  channelIds: readonly string[],
  { jobId, position }: Key,
): Promise<RefusalRow[]> {
  const values = [channelIds, jobId, position];
  const { rows } = await pool.query<Omit<RefusalRow, 'rows'> & { rows: string }>({ ...OF_SLICES, values });
  // PostgreSQL's JSON takes less than what may stand in rows that nobody has read: no NUL, and no half of a character.
  return rows.map((each) => ({ ...each, rows: JSON.parse(each.rows) as RefusalRow['rows'] }));
}

const BLANK_JOBS: PlannedStatement = {
  text: 'UPDATE contact_import_jobs SET refused_rows = $2::jsonb WHERE id = $1',
};

const BLANK_SLICES: PlannedStatement = {
  text: 'UPDATE contact_import_slices SET input = $2 WHERE job_id = $1 AND position = $3',
};

/** Writes back what imports keep. */
export async function blankRefusals(client: pg.PoolClient, kept: readonly RefusalRow[]): Promise<void> {
  for (const { jobId, slice, rows } of kept) {
    const values = [jobId, JSON.stringify(rows)];
    if (slice === null) await client.query({ ...BLANK_JOBS, values });
    else await client.query({ ...BLANK_SLICES, values: [...values, slice] });
  }
}
