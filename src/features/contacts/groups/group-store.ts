import type { PrismaClient } from '../../../platform/generated/prisma/client.js';

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
