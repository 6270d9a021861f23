import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { SweepOptions } from '../../../platform/store/sweep.js';

const FIND_DELETED: PlannedStatement = {
  text: `SELECT f.account_id AS "accountId", array_agg(f.key) AS keys, array_agg(f.id) AS ids,
           ARRAY(SELECT h.id FROM channels h WHERE h.account_id = f.account_id) AS "channelIds"
         FROM contact_fields f WHERE f.deleted_at IS NOT NULL GROUP BY f.account_id`,
};

interface DeletedFields {
  keys: string[];
  ids: string[];
  channelIds: string[];
}

/** Locks contacts in the order of their IDs, like every transaction that locks several contacts. */
const CLEAR: PlannedStatement = {
  text: `WITH page AS MATERIALIZED (
           SELECT id FROM contacts WHERE channel_id = $1 AND id > $2 ORDER BY channel_id, id LIMIT $3
         ), locked AS MATERIALIZED (
           SELECT id FROM contacts WHERE id IN (SELECT id FROM page) AND fields ?| $4::text[]
           ORDER BY id FOR NO KEY UPDATE
         ), cleared AS (
           UPDATE contacts c SET fields = nullif(c.fields - $4::text[], '{}'::jsonb) FROM locked WHERE c.id = locked.id
           RETURNING c.id
         )
         SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*) FROM cleared)::int AS cleared`,
};

const DELETE: PlannedStatement = {
  text: 'DELETE FROM contact_fields WHERE id = ANY($1::uuid[]) AND deleted_at IS NOT NULL',
};

/** Below every UUID. */
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Deletes the values of deleted fields. The field's row is deleted after a pass that found no value, because a merge may
 * have copied a value to a contact that the previous pass had already visited.
 */
export async function sweepDeletedFields(options: SweepOptions): Promise<void> {
  const { pool, isStopped, onDeleted } = options;
  const { rows } = await pool.query<DeletedFields>(FIND_DELETED);
  for (const fields of rows) {
    let cleared = 1;
    while (cleared > 0) {
      if (isStopped()) return;
      cleared = await clearValues(options, fields);
    }
    if (isStopped()) return;
    const { rowCount } = await pool.query({ ...DELETE, values: [fields.ids] });
    onDeleted?.('contact_fields', rowCount ?? 0);
  }
}

async function clearValues(
  { pool, step, isStopped }: Pick<SweepOptions, 'pool' | 'step' | 'isStopped'>,
  { channelIds, keys }: DeletedFields,
): Promise<number> {
  let total = 0;
  for (const channelId of channelIds) {
    for (let after: string | null = NIL; after !== null && !isStopped(); ) {
      const page: { last: string | null; cleared: number } = await clearPage(pool, [channelId, after, step, keys]);
      total += page.cleared;
      after = page.last;
    }
  }
  return total;
}

async function clearPage(pool: pg.Pool, values: unknown[]): Promise<{ last: string | null; cleared: number }> {
  const { rows } = await pool.query<{ last: string | null; cleared: number }>({ ...CLEAR, values });
  return rows[0] ?? { last: null, cleared: 0 };
}
