import type pg from 'pg';
import type { CarrierTemplate } from '../../carriers/templates.js';
import type { Template } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { storableJson } from '../../platform/store/storable.js';
import type { Connection } from '../../platform/store/within.js';

const BEGIN_SYNC: Statement = { name: 'templates-begin-sync', text: 'SELECT clock_timestamp()::timestamptz(3) AS at' };

/** The moment as templates know it: what is changed later is newer than what a carrier is asked for now. */
export async function beginSync(connection: Connection): Promise<Date> {
  const { rows } = await connection.query<{ at: Date }>({ ...BEGIN_SYNC });
  return (rows[0] as { at: Date }).at;
}

/**
 * What the channel held when the carrier was asked, and holds no more, was deleted since and stays so; what was changed
 * since stays as it is.
 */
const MERGE: Statement = {
  name: 'templates-merge',
  text: `
WITH locked AS MATERIALIZED (SELECT name, language FROM templates WHERE channel_id = $2 ORDER BY id FOR UPDATE)
INSERT INTO templates AS held (id, account_id, channel_id, name, language, category, status, components, is_listed)
SELECT c.id, $1, $2, c.name, c.language, c.category, c.status, c.components, true
FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::template_status[], $8::jsonb[], $9::boolean[])
  AS c(id, name, language, category, status, components, was_held)
WHERE NOT c.was_held OR (c.name, c.language) IN (SELECT name, language FROM locked)
ORDER BY c.name, c.language
ON CONFLICT (channel_id, name, language) DO UPDATE
  SET category = EXCLUDED.category, status = EXCLUDED.status, components = EXCLUDED.components, updated_at = now()
  WHERE (held.category, held.status, held.components)
     IS DISTINCT FROM (EXCLUDED.category, EXCLUDED.status, EXCLUDED.components)
    AND held.updated_at <= $10
RETURNING xmax = 0 AS added`,
};

/** What a carrier told of its templates. */
export interface Listing {
  templates: readonly (CarrierTemplate & { wasHeld: boolean })[];
  /** When it was asked, as `beginSync` tells it. */
  askedAt: Date;
}

/**
 * Takes over templates of a carrier: by name and language they are new, changed or as they were.
 * @returns how many are new, and how many have another status, category or components now
 */
export async function mergeTemplates(
  client: pg.PoolClient,
  channel: { id: string; accountId: string },
  { templates, askedAt }: Listing,
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
      templates.map(({ components }) => JSON.stringify(storableJson(components))),
      templates.map(({ wasHeld }) => wasHeld),
      askedAt.toISOString(),
    ],
  });
  const added = rows.filter((row) => row.added).length;
  return { added, updated: rows.length - added };
}

/** Not one that is perhaps being handed in right now. */
const DISABLE: Statement = {
  name: 'templates-disable',
  text: `UPDATE templates SET status = 'DISABLED', updated_at = now()
         WHERE id = ANY($1::uuid[]) AND channel_id = $2 AND status <> 'DISABLED' AND updated_at <= $3
           AND created_at < now() - interval '1 minute'`,
};

/** Makes templates DISABLED that were not changed since the carrier was asked. Returns how many were not. */
export async function disableTemplates(
  client: pg.PoolClient,
  channelId: string,
  ids: readonly string[],
  askedAt: Date,
): Promise<number> {
  const { rowCount } = await client.query({ ...DISABLE, values: [ids, channelId, askedAt.toISOString()] });
  return rowCount ?? 0;
}

const NOTE_SYNC: Statement = {
  name: 'templates-note-sync',
  text: 'UPDATE channels SET templates_synced_at = greatest(templates_synced_at, $2) WHERE id = $1',
};

/** Notes that a channel holds now what its carrier had when it was asked: what it has decided since is news. */
export async function noteSync(client: pg.PoolClient, channelId: string, askedAt: Date): Promise<void> {
  await client.query({ ...NOTE_SYNC, values: [channelId, askedAt.toISOString()] });
}

/** A sync may have brought it between the carrier's answer and now, and may know more of it by then. */
const INSERT: Statement = {
  name: 'templates-insert',
  text: `INSERT INTO templates AS held (id, account_id, channel_id, name, language, category, status, components)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (channel_id, name, language) DO UPDATE SET is_listed = false WHERE held.is_listed
         RETURNING id`,
};

/**
 * Inserts a template that the carrier has just taken.
 * @returns its id, be it a sync's; null when the channel had it already
 */
export async function insertTemplate(
  connection: Connection,
  { id: channelId, accountId }: { id: string; accountId: string },
  { name, language, category, status, components }: CarrierTemplate,
): Promise<string | null> {
  const held = JSON.stringify(storableJson(components));
  const values = [newId(), accountId, channelId, name, language, category, status, held];
  const { rows } = await connection.query<{ id: string }>({ ...INSERT, values });
  return rows[0]?.id ?? null;
}

/** Later than before by what a client sees of it, a millisecond. */
const CLAIM: Statement = {
  name: 'templates-claim',
  text: `UPDATE templates SET updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
         WHERE id = $1 AND channel_id = $2 RETURNING updated_at AS at`,
};

/** Makes the version of a template another, so that of two who are about to change it one is told. The row must be locked. */
export async function claimTemplate(client: pg.PoolClient, id: string, channelId: string): Promise<Date> {
  const { rows } = await client.query<{ at: Date }>({ ...CLAIM, values: [id, channelId] });
  return (rows[0] as { at: Date }).at;
}

const UNCLAIM: Statement = {
  name: 'templates-unclaim',
  text: 'UPDATE templates SET updated_at = $3 WHERE id = $1 AND channel_id = $2 AND updated_at = $4',
};

/** Gives a template the version back that it had before a claim, unless it was changed since. */
export async function unclaimTemplate(
  pool: Connection,
  { id, channelId }: { id: string; channelId: string },
  { before, claimed }: { before: Date; claimed: Date },
): Promise<void> {
  await pool.query({ ...UNCLAIM, values: [id, channelId, before.toISOString(), claimed.toISOString()] });
}

const LOCK: Statement = {
  name: 'templates-lock',
  text: `SELECT status, components, updated_at AS "updatedAt" FROM templates
         WHERE id = $1 AND channel_id = $2 AND account_id = $3 FOR UPDATE`,
};

/** What the version of a template is made of. */
export type TemplateState = Pick<Template, 'status' | 'components' | 'updatedAt'>;

/** A template that nobody else changes until the transaction ends; null where there is none. */
export async function lockTemplate(
  client: pg.PoolClient,
  id: string,
  channel: { id: string; accountId: string },
): Promise<TemplateState | null> {
  const { rows } = await client.query<TemplateState>({ ...LOCK, values: [id, channel.id, channel.accountId] });
  return rows[0] ?? null;
}
