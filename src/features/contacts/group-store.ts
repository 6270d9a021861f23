import type pg from 'pg';
import { AppError } from '../../platform/errors.js';
import { newId } from '../../platform/ids.js';
import { sqlState } from '../../platform/store/failures.js';

/** A row of `contact_groups`. */
export interface GroupRow {
  id: string;
  name: string;
  description: string;
  contactCount: number;
  createdAt: Date;
}

/** Of which channel a group is. */
export interface GroupScope {
  accountId: string;
  channelId: string;
}

const GROUP_COLUMNS = 'id, name, description, contact_count AS "contactCount", created_at AS "createdAt"';

/** Groups of a channel, newest first. */
export async function listGroups(pool: pg.Pool, { accountId, channelId }: GroupScope): Promise<GroupRow[]> {
  const { rows } = await pool.query<GroupRow>({
    name: 'groups-list',
    text: `SELECT ${GROUP_COLUMNS} FROM contact_groups WHERE channel_id = $1 AND account_id = $2 ORDER BY id DESC`,
    values: [channelId, accountId],
  });
  return rows;
}

export interface NewGroup extends GroupScope {
  name: string;
  description: string;
  at: Date;
}

/** @throws {AppError} CONFLICT when the channel has a group of this name */
export async function createGroup(connection: pg.Pool | pg.PoolClient, group: NewGroup): Promise<GroupRow> {
  const { accountId, channelId, name, description, at } = group;
  const { rows } = await connection.query<GroupRow>(
    `INSERT INTO contact_groups (id, account_id, channel_id, name, description, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $6)
     ON CONFLICT (channel_id, name) DO NOTHING RETURNING ${GROUP_COLUMNS}`,
    [newId(), accountId, channelId, name, description, at],
  );
  if (!rows[0]) throw nameTaken();
  return rows[0];
}

/** What an update sets; what is undefined stays as it is. */
export interface GroupChange {
  name?: string;
  description?: string;
  at: Date;
}

/**
 * @returns the group as it is now; null when the channel has no such group
 * @throws {AppError} CONFLICT when another group of the channel has the name
 */
export async function updateGroup(
  pool: pg.Pool,
  { accountId, channelId }: GroupScope,
  id: string,
  { name, description, at }: GroupChange,
): Promise<GroupRow | null> {
  try {
    const { rows } = await pool.query<GroupRow>(
      `UPDATE contact_groups SET name = coalesce($4, name), description = coalesce($5, description),
         updated_at = CASE WHEN $4 IS NULL AND $5 IS NULL THEN updated_at ELSE $6 END
       WHERE id = $1 AND channel_id = $2 AND account_id = $3 RETURNING ${GROUP_COLUMNS}`,
      [id, channelId, accountId, name ?? null, description ?? null, at],
    );
    return rows[0] ?? null;
  } catch (error) {
    if (sqlState(error) === '23505') throw nameTaken();
    throw error;
  }
}

/** Deletes a group and its memberships; its contacts stay. Returns whether the channel had it. */
export async function deleteGroup(pool: pg.Pool, scope: GroupScope, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'DELETE FROM contact_groups WHERE id = $1 AND channel_id = $2 AND account_id = $3',
    [id, scope.channelId, scope.accountId],
  );
  return rowCount === 1;
}

function nameTaken(): AppError {
  return new AppError('CONFLICT', 'The channel has a group with this name already.');
}
