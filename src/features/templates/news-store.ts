import type pg from 'pg';
import type { TemplateNews } from '../../carriers/templates.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { storable } from '../../platform/store/storable.js';
import type { Connection } from '../../platform/store/within.js';

/**
 * The carrier tells times in whole seconds, and what was synced or edited within the same second is no older than that.
 * Each of the three has a time of its own, for they are decided apart.
 */
const APPLY: Statement = {
  name: 'templates-apply-news',
  text: `
WITH held AS (
  SELECT t.id, $4::timestamptz >= greatest(t.status_at, ch.templates_synced_at - interval '5 seconds') IS NOT FALSE AS is_news_of_status,
         $4 >= greatest(t.category_at, ch.templates_synced_at - interval '5 seconds') IS NOT FALSE AS is_news_of_category,
         $4 >= t.quality_at IS NOT FALSE AS is_news_of_quality
  FROM templates t JOIN channels ch ON ch.id = t.channel_id
  WHERE t.channel_id = ANY($1::uuid[]) AND t.name = $2 AND t.language = $3
  ORDER BY t.id FOR UPDATE OF t
), applied AS (
  UPDATE templates t SET
    status = CASE WHEN h.is_news_of_status THEN coalesce($5::template_status, t.status) ELSE t.status END,
    status_at = CASE WHEN h.is_news_of_status AND $5 IS NOT NULL THEN $4 ELSE t.status_at END,
    category = CASE WHEN h.is_news_of_category THEN coalesce($6::text, t.category) ELSE t.category END,
    category_at = CASE WHEN h.is_news_of_category AND $6 IS NOT NULL THEN $4 ELSE t.category_at END,
    quality = CASE WHEN h.is_news_of_quality THEN coalesce($7::text, t.quality) ELSE t.quality END,
    quality_at = CASE WHEN h.is_news_of_quality AND $7 IS NOT NULL THEN $4 ELSE t.quality_at END,
    updated_at = CASE WHEN h.is_news_of_status AND t.status <> coalesce($5::template_status, t.status)
                        OR h.is_news_of_category AND t.category <> coalesce($6::text, t.category)
                      THEN clock_timestamp() ELSE t.updated_at END
  FROM held h WHERE t.id = h.id
)
SELECT FROM held`,
};

/**
 * Notes what a carrier decided of a template, in each of some channels that hold it.
 * @returns whether any does
 */
export async function applyTemplateNews(
  pool: pg.Pool,
  channelIds: readonly string[],
  { name, language, at, status, category, quality }: TemplateNews,
): Promise<boolean> {
  const news = [status ?? null, category && storable(category), quality && storable(quality)].map(
    (each) => each ?? null,
  );
  const values = [channelIds, storable(name), language, at.toISOString(), ...news];
  return (await pool.query({ ...APPLY, values })).rowCount !== 0;
}

const NOTE_EDITED: Statement = {
  name: 'templates-note-edited',
  text: "UPDATE templates SET status_at = now() - interval '5 seconds', updated_at = clock_timestamp() WHERE id = $1",
};

/** What the carrier decided of a template before it was edited counts no more, nor what it tells a sync that began before. */
export async function noteEdited(connection: Connection, id: string): Promise<void> {
  await connection.query({ ...NOTE_EDITED, values: [id] });
}
