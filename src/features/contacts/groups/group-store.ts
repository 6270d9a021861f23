import type { PrismaClient } from '../../../platform/generated/prisma/client.js';

/**
 * The group of a channel whose name reads like this one, by `fold_name` of the store as its unique index compares them;
 * the one with the very name first, for older groups may share one. Null when there is none.
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
