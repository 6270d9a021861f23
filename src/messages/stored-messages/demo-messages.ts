import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';

/** Demo messages are not charged, counted or reported by webhooks. */
export async function insertDemoMessages(
  transaction: Pick<PrismaClient, 'message'>,
  rows: Prisma.MessageCreateManyInput[],
): Promise<void> {
  await transaction.message.createMany({ data: rows });
}
