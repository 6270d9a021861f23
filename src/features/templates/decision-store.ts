import type pg from 'pg';
import type { CarrierTemplateChange } from '../../carriers/templates.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { toStorable } from '../../platform/store/storable.js';
import type { Connection } from '../../platform/store/with-transaction.js';

/**
 * Carriers report times in whole seconds, so a change from a few seconds before a sync still counts as newer. Status,
 * category and quality have separate timestamps, because the carrier decides them separately.
 */
const APPLY_DECISION: Statement = {
  name: 'templates-apply-news',
  text: `
WITH current AS (
  SELECT t.id, $4::timestamptz >= greatest(t.status_at, ch.templates_synced_at - interval '5 seconds') IS NOT FALSE AS is_newer_status,
         $4 >= greatest(t.category_at, ch.templates_synced_at - interval '5 seconds') IS NOT FALSE AS is_newer_category,
         $4 >= t.quality_at IS NOT FALSE AS is_newer_quality
  FROM templates t JOIN channels ch ON ch.id = t.channel_id
  WHERE t.channel_id = ANY($1::uuid[]) AND t.name = $2 AND t.language = $3
  ORDER BY t.id FOR UPDATE OF t
), applied AS (
  UPDATE templates t SET
    status = CASE WHEN h.is_newer_status THEN coalesce($5::template_status, t.status) ELSE t.status END,
    status_at = CASE WHEN h.is_newer_status AND $5 IS NOT NULL THEN $4 ELSE t.status_at END,
    category = CASE WHEN h.is_newer_category THEN coalesce($6::text, t.category) ELSE t.category END,
    category_at = CASE WHEN h.is_newer_category AND $6 IS NOT NULL THEN $4 ELSE t.category_at END,
    quality = CASE WHEN h.is_newer_quality THEN coalesce($7::text, t.quality) ELSE t.quality END,
    quality_at = CASE WHEN h.is_newer_quality AND $7 IS NOT NULL THEN $4 ELSE t.quality_at END,
    updated_at = CASE WHEN h.is_newer_status AND t.status <> coalesce($5::template_status, t.status)
                        OR h.is_newer_category AND t.category <> coalesce($6::text, t.category)
                      THEN clock_timestamp() ELSE t.updated_at END
  FROM current h WHERE t.id = h.id
)
SELECT FROM current`,
};

export async function applyTemplateDecision(
  pool: pg.Pool,
  channelIds: readonly string[],
  { name, language, at, status, category, quality }: CarrierTemplateChange,
): Promise<boolean> {
  const decision = [status ?? null, category && toStorable(category), quality && toStorable(quality)].map(
    (each) => each ?? null,
  );
  const values = [channelIds, toStorable(name), language, at.toISOString(), ...decision];
  return (await pool.query({ ...APPLY_DECISION, values })).rowCount !== 0;
}

const RECORD_EDIT: Statement = {
  name: 'templates-note-edited',
  text: "UPDATE templates SET status_at = now() - interval '5 seconds', updated_at = clock_timestamp() WHERE id = $1",
};

/** Records the edit as newer than the carrier's earlier decisions and than a sync that is still running. */
export async function recordEdit(connection: Connection, id: string): Promise<void> {
  await connection.query({ ...RECORD_EDIT, values: [id] });
}
