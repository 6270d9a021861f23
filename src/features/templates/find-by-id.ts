import type { PrismaClient, Template } from '../../platform/generated/prisma/client.js';

/** Finds a template regardless of its status. */
export function findTemplateById(
  { prisma }: { prisma: Pick<PrismaClient, 'template'> },
  { accountId, channelId }: { accountId: string; channelId: string },
  id: string,
): Promise<Template | null> {
  return prisma.template.findFirst({ where: { id, accountId, channelId } });
}
