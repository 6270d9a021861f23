import type { PrismaClient } from '../../platform/generated/prisma/client.js';

/** Excludes scheduled messages. */
export async function countQueuedByCarrier(prisma: Pick<PrismaClient, '$queryRaw'>): Promise<Map<string, number>> {
  const rows = await prisma.$queryRaw<{ carrier: string; waiting: number }[]>`
    SELECT carrier, count(*)::int AS waiting FROM messages
    WHERE next_look IS NOT NULL AND (status = 'sending' OR (status = 'queued' AND (not_before IS NULL OR not_before <= now())))
    GROUP BY carrier`;
  return new Map(rows.map(({ carrier, waiting }) => [carrier, waiting]));
}
