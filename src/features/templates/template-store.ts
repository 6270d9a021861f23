import type pg from 'pg';
import type { CarrierTemplate } from '../../carriers/templates.js';
import type { Template } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { toStorableJson } from '../../platform/store/storable.js';
import type { Connection } from '../../platform/store/with-transaction.js';

const READ_SYNC_TIME: Statement = {
  name: 'templates-begin-sync',
  text: 'SELECT clock_timestamp()::timestamptz(3) AS at',
};

/**
 * Call this function before the request to the carrier, because later local changes are newer than the carrier's
 * answer.
 */
export async function readSyncTime(connection: Connection): Promise<Date> {
  const { rows } = await connection.query<{ at: Date }>({ ...READ_SYNC_TIME });
  return (rows[0] as { at: Date }).at;
}

/** Does not restore or overwrite templates that were deleted or changed locally during the sync. */
const MERGE: Statement = {
  name: 'templates-merge',
  text: `
WITH locked AS MATERIALIZED (SELECT name, language FROM templates WHERE channel_id = $2 ORDER BY id FOR UPDATE)
INSERT INTO templates AS current (id, account_id, channel_id, name, language, category, status, components, is_listed)
SELECT c.id, $1, $2, c.name, c.language, c.category, c.status, c.components, true
FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::template_status[], $8::jsonb[], $9::boolean[])
  AS c(id, name, language, category, status, components, was_local)
WHERE NOT c.was_local OR (c.name, c.language) IN (SELECT name, language FROM locked)
ORDER BY c.name, c.language
ON CONFLICT (channel_id, name, language) DO UPDATE
  SET category = EXCLUDED.category, status = EXCLUDED.status, components = EXCLUDED.components, updated_at = now()
  WHERE (current.category, current.status, current.components)
     IS DISTINCT FROM (EXCLUDED.category, EXCLUDED.status, EXCLUDED.components)
    AND current.updated_at <= $10
RETURNING xmax = 0 AS added`,
};

export interface TemplateListing {
  templates: readonly (CarrierTemplate & { wasLocal: boolean })[];
  /** From `readSyncTime`. */
  requestedAt: Date;
}

export async function mergeTemplates(
  client: pg.PoolClient,
  channel: { id: string; accountId: string },
  { templates, requestedAt }: TemplateListing,
): Promise<{ added: number; updated: number }> {
  const { rows } = await client.query<{ added: boolean }>({
    ...MERGE,
    values: [
      channel.accountId,
      channel.id,
      templates.map(() => newId()),
      templates.map(({ name }) => name),
      templates.map(({ language }) => language),
      templates.map(({ category }) => category),
      templates.map(({ status }) => status),
      templates.map(({ components }) => JSON.stringify(toStorableJson(components))),
      templates.map(({ wasLocal }) => wasLocal),
      requestedAt.toISOString(),
    ],
  });
  const added = rows.filter((row) => row.added).length;
  return { added, updated: rows.length - added };
}

/** Skips new templates, because their submission may still be running. */
const DISABLE: Statement = {
  name: 'templates-disable',
  text: `UPDATE templates SET status = 'DISABLED', updated_at = now()
         WHERE id = ANY($1::uuid[]) AND channel_id = $2 AND status <> 'DISABLED' AND updated_at <= $3
           AND created_at < now() - interval '1 minute'`,
};

/** Skips templates that changed after `requestedAt`. */
export async function disableTemplates(
  client: pg.PoolClient,
  channelId: string,
  ids: readonly string[],
  requestedAt: Date,
): Promise<number> {
  const { rowCount } = await client.query({ ...DISABLE, values: [ids, channelId, requestedAt.toISOString()] });
  return rowCount ?? 0;
}

const RECORD_SYNC: Statement = {
  name: 'templates-note-sync',
  text: 'UPDATE channels SET templates_synced_at = greatest(templates_synced_at, $2) WHERE id = $1',
};

/** Decisions reported after `requestedAt` count as newer than the sync. */
export async function recordSync(client: pg.PoolClient, channelId: string, requestedAt: Date): Promise<void> {
  await client.query({ ...RECORD_SYNC, values: [channelId, requestedAt.toISOString()] });
}

/** On a conflict, the row that a concurrent sync inserted is kept, because its status may be newer. */
const INSERT: Statement = {
  name: 'templates-insert',
  text: `INSERT INTO templates AS current (id, account_id, channel_id, name, language, category, status, components)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (channel_id, name, language) DO UPDATE SET is_listed = false WHERE current.is_listed
         RETURNING id`,
};

/** Returns the template's ID, which may come from a sync, or null if the channel already had the template. */
export async function insertTemplate(
  connection: Connection,
  { id: channelId, accountId }: { id: string; accountId: string },
  { name, language, category, status, components }: CarrierTemplate,
): Promise<string | null> {
  const componentsJson = JSON.stringify(toStorableJson(components));
  const values = [newId(), accountId, channelId, name, language, category, status, componentsJson];
  const { rows } = await connection.query<{ id: string }>({ ...INSERT, values });
  return rows[0]?.id ?? null;
}

/** The new version is at least a millisecond later, because clients see times in milliseconds. */
const CLAIM: Statement = {
  name: 'templates-claim',
  text: `UPDATE templates SET updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
         WHERE id = $1 AND channel_id = $2 RETURNING updated_at AS at`,
};

/**
 * Increases the version, so that one of two concurrent edits is rejected. The caller must have locked the template's
 * row.
 */
export async function claimTemplate(client: pg.PoolClient, id: string, channelId: string): Promise<Date> {
  const { rows } = await client.query<{ at: Date }>({ ...CLAIM, values: [id, channelId] });
  return (rows[0] as { at: Date }).at;
}

const UNCLAIM: Statement = {
  name: 'templates-unclaim',
  text: 'UPDATE templates SET updated_at = $3 WHERE id = $1 AND channel_id = $2 AND updated_at = $4',
};

/** Has no effect if the template has changed since the claim. */
export async function unclaimTemplate(
  pool: Connection,
  { id, channelId }: { id: string; channelId: string },
  { before, claimedAt }: { before: Date; claimedAt: Date },
): Promise<void> {
  await pool.query({ ...UNCLAIM, values: [id, channelId, before.toISOString(), claimedAt.toISOString()] });
}

const LOCK: Statement = {
  name: 'templates-lock',
  text: `SELECT status, components, updated_at AS "updatedAt" FROM templates
         WHERE id = $1 AND channel_id = $2 AND account_id = $3 FOR UPDATE`,
};

export type TemplateState = Pick<Template, 'status' | 'components' | 'updatedAt'>;

export async function lockTemplate(
  client: pg.PoolClient,
  id: string,
  channel: { id: string; accountId: string },
): Promise<TemplateState | null> {
  const { rows } = await client.query<TemplateState>({ ...LOCK, values: [id, channel.id, channel.accountId] });
  return rows[0] ?? null;
}
