import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';

/** Makes rows of messages that were never accepted, such as those of an example; nothing is charged, counted or told. */
export async function insertSeeded(
  transaction: Pick<PrismaClient, 'message'>,
  rows: Prisma.MessageCreateManyInput[],
): Promise<void> {
  await transaction.message.createMany({ data: rows });
}
