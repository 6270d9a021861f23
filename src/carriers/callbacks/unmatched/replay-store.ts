import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { ClaimedCallback } from '../callback-store.js';
import type { UnmatchedFilter } from './find-store.js';
import type { SealedBody } from './report-seal.js';

export interface UnmatchedBody extends SealedBody {
  id: string;
  carrier: string;
  receivedAt: Date;
}

const NEXT: PlannedStatement = {
  text: `SELECT id, carrier, form, body, received_at AS "receivedAt" FROM kept_reports
         WHERE id > $1::uuid AND ($3::uuid IS NULL OR id = $3) AND ($4::text IS NULL OR carrier = $4)
           AND ($5::text IS NULL OR kind = $5) AND ($6::timestamptz IS NULL OR received_at >= $6)
           AND ($7::timestamptz IS NULL OR received_at < $7)
         ORDER BY id LIMIT $2`,
};

export async function readUnmatched(
  pool: pg.Pool,
  { id, carrier, kind, since, until }: UnmatchedFilter,
  { after, limit }: { after: string; limit: number },
): Promise<UnmatchedBody[]> {
  const moments = [since?.toISOString() ?? null, until?.toISOString() ?? null];
  const values = [after, limit, id ?? null, carrier ?? null, kind ?? null, ...moments];
  return (await pool.query<UnmatchedBody>({ ...NEXT, values })).rows;
}

const DELETE: PlannedStatement = { text: 'DELETE FROM kept_reports WHERE id = $1' };

/** @returns whether it still existed */
export async function deleteUnmatched(pool: pg.Pool, id: string): Promise<boolean> {
  return (await pool.query({ ...DELETE, values: [id] })).rowCount === 1;
}

const SET_ASIDE: PlannedStatement = {
  text: `SELECT id, carrier, body, received_at AS "receivedAt", attempts FROM carrier_callbacks
         WHERE set_aside_at IS NOT NULL AND id > $1::bigint AND ($3::text IS NULL OR carrier = $3)
           AND ($4::timestamptz IS NULL OR received_at >= $4) AND ($5::timestamptz IS NULL OR received_at < $5)
         ORDER BY id LIMIT $2`,
};

export async function readSetAside(
  pool: pg.Pool,
  { carrier, since, until }: UnmatchedFilter,
  { after, limit }: { after: string; limit: number },
): Promise<ClaimedCallback[]> {
  const moments = [since?.toISOString() ?? null, until?.toISOString() ?? null];
  return (await pool.query<ClaimedCallback>({ ...SET_ASIDE, values: [after, limit, carrier ?? null, ...moments] }))
    .rows;
}
