import type pg from 'pg';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { GroupScope } from './groups.js';

/**
 * Compares names with the SQL function `fold_name`, as the unique index does. Groups from older versions may have
 * similar names, so an exact match comes first.
 */
export async function findGroupByName(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  channelId: string,
  name: string,
): Promise<string | null> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM contact_groups WHERE channel_id = ${channelId}::uuid AND fold_name(name) = fold_name(${name})
    ORDER BY (name = ${name}) DESC, shares_name, id LIMIT 1`;
  return rows[0]?.id ?? null;
}

const IS_GROUP = 'account_id = $1 AND channel_id = $2 AND id = $3';

const LOCK: PlannedStatement = { text: `SELECT FROM contact_groups WHERE ${IS_GROUP} FOR UPDATE` };

/** Waits for transactions that keep the group from being deleted. Returns false for an unknown group. */
export async function lockGroupForDeletion(
  client: pg.PoolClient,
  { accountId, channelId }: GroupScope,
  id: string,
): Promise<boolean> {
  return (await client.query({ ...LOCK, values: [accountId, channelId, id] })).rowCount === 1;
}

const DELETE: PlannedStatement = { text: `DELETE FROM contact_groups WHERE ${IS_GROUP}` };

/** Keeps the group's contacts. */
export async function deleteGroupRow(
  client: pg.PoolClient,
  { accountId, channelId }: GroupScope,
  id: string,
): Promise<void> {
  await client.query({ ...DELETE, values: [accountId, channelId, id] });
}
