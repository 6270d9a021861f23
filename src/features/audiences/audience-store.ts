import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import type { FieldDefinition } from '../contacts/custom/field-values.js';
import type { Condition } from './condition.js';
import type { Reference } from './parse.js';

export interface Audience {
  id: string;
  name: string;
  condition: Condition;
  createdAt: Date;
  updatedAt: Date;
}

export interface AudienceScope {
  accountId: string;
  channelId: string;
}

const COLUMNS = 'id, name, condition, created_at AS "createdAt", updated_at AS "updatedAt"';
const IN_SCOPE = 'account_id = $1 AND channel_id = $2';

const LIST: PlannedStatement = {
  text: `SELECT ${COLUMNS} FROM audiences WHERE ${IN_SCOPE} AND ($3::uuid IS NULL OR id < $3)
           AND strpos(fold_name(name), fold_name($4)) > 0
         ORDER BY id DESC LIMIT $5 OFFSET $6`,
};

/** Newest first. */
export async function readAudiences(
  pool: Connection,
  { accountId, channelId }: AudienceScope,
  { before = null, search = '', limit, offset = 0 }: AudiencePage,
): Promise<Audience[]> {
  const values = [accountId, channelId, before, search, limit, offset];
  return (await pool.query<Audience>({ ...LIST, values })).rows;
}

export interface AudiencePage {
  limit: number;
  offset?: number;
  /** Lists only audiences with lower IDs. */
  before?: string | null;
  /** Part of the name. */
  search?: string;
}

const COUNT: PlannedStatement = { text: `SELECT count(*)::int AS count FROM audiences WHERE ${IN_SCOPE}` };

export async function countAudiences(pool: Connection, { accountId, channelId }: AudienceScope): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ ...COUNT, values: [accountId, channelId] });
  return rows[0]?.count ?? 0;
}

const FIND: PlannedStatement = {
  text: `SELECT ${COLUMNS} FROM audiences WHERE ${IN_SCOPE} AND id = ANY($3::uuid[]) ORDER BY id`,
};

/** Omits unknown audiences. */
export async function findAudiences(
  pool: Connection,
  { accountId, channelId }: AudienceScope,
  ids: readonly string[],
): Promise<Audience[]> {
  return (await pool.query<Audience>({ ...FIND, values: [accountId, channelId, ids] })).rows;
}

const LOCK: PlannedStatement = {
  text: `SELECT ${COLUMNS} FROM audiences WHERE ${IN_SCOPE} AND id = $3 FOR NO KEY UPDATE`,
};

export async function lockAudience(
  client: pg.PoolClient,
  { accountId, channelId }: AudienceScope,
  id: string,
): Promise<Audience | null> {
  return (await client.query<Audience>({ ...LOCK, values: [accountId, channelId, id] })).rows[0] ?? null;
}

const LOCK_NEW: PlannedStatement = { text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))' };

/** Prevents concurrent transactions from creating audiences of the channel. */
export async function lockNewAudiences(client: pg.PoolClient, { channelId }: AudienceScope): Promise<void> {
  await client.query({ ...LOCK_NEW, values: [`heliograph audiences ${channelId}`] });
}

const INSERT: PlannedStatement = {
  text: `INSERT INTO audiences (id, account_id, channel_id, name, condition, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5::jsonb, $6, $6) RETURNING ${COLUMNS}`,
};

export async function insertAudience(
  client: pg.PoolClient,
  { id, accountId, channelId, name, condition, at }: AudienceScope & NewRow,
): Promise<Audience> {
  const values = [id, accountId, channelId, name, JSON.stringify(condition), at.toISOString()];
  return (await client.query<Audience>({ ...INSERT, values })).rows[0] as Audience;
}

interface NewRow {
  id: string;
  name: string;
  condition: Condition;
  at: Date;
}

const UPDATE: PlannedStatement = {
  text: `UPDATE audiences SET name = $2, condition = $3::jsonb, updated_at = $4 WHERE id = $1 RETURNING ${COLUMNS}`,
};

export async function updateAudienceRow(client: pg.PoolClient, { id, name, condition, at }: NewRow): Promise<Audience> {
  const values = [id, name, JSON.stringify(condition), at.toISOString()];
  return (await client.query<Audience>({ ...UPDATE, values })).rows[0] as Audience;
}

const DELETE: PlannedStatement = { text: `DELETE FROM audiences WHERE ${IN_SCOPE} AND id = $3` };

export async function deleteAudienceRow(
  client: Connection,
  { accountId, channelId }: AudienceScope,
  id: string,
): Promise<boolean> {
  return (await client.query({ ...DELETE, values: [accountId, channelId, id] })).rowCount === 1;
}

const LIST_FIELDS: PlannedStatement = {
  text: 'SELECT key, label, type, choices FROM contact_fields WHERE account_id = $1 AND deleted_at IS NULL',
};

export async function readFieldDefinitions(client: Connection, accountId: string): Promise<FieldDefinition[]> {
  return (await client.query<FieldDefinition>({ ...LIST_FIELDS, values: [accountId] })).rows;
}

/** FOR KEY SHARE keeps the groups from being deleted before the caller's transaction commits. */
const HOLD_GROUPS: PlannedStatement = {
  text: `SELECT id FROM contact_groups WHERE ${IN_SCOPE} AND id = ANY($3::uuid[]) ORDER BY id FOR KEY SHARE`,
};

/** Campaigns are never deleted. */
const FIND_CAMPAIGNS: PlannedStatement = {
  text: `SELECT id FROM campaigns WHERE ${IN_SCOPE} AND id = ANY($3::uuid[])`,
};

/** Returns references to groups and campaigns that the channel does not have. */
export async function findUnknownReferences(
  client: Connection,
  { accountId, channelId }: AudienceScope,
  references: readonly Reference[],
): Promise<Reference[]> {
  const knownReferences = new Set<string>();
  for (const [kind, statement] of [
    ['group', HOLD_GROUPS],
    ['campaign', FIND_CAMPAIGNS],
  ] as const) {
    const ids = references.filter((each) => each.kind === kind).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { rows } = await client.query<{ id: string }>({ ...statement, values: [accountId, channelId, ids] });
    for (const { id } of rows) knownReferences.add(`${kind} ${id}`);
  }
  return references.filter(({ kind, id }) => !knownReferences.has(`${kind} ${id}`));
}

const LIST_ALL: PlannedStatement = {
  text: `SELECT ${COLUMNS} FROM audiences WHERE account_id = $1 AND ($2::uuid IS NULL OR channel_id = $2) ORDER BY id`,
};

/** @param channelId null for all channels of the account */
export async function readAllAudiences(
  client: pg.PoolClient,
  accountId: string,
  channelId: string | null,
): Promise<Audience[]> {
  return (await client.query<Audience>({ ...LIST_ALL, values: [accountId, channelId] })).rows;
}
