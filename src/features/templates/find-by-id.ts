import type { PrismaClient, Template } from '../../platform/generated/prisma/client.js';

/** A template of one channel by its id, whatever its status; null where the channel has none such. */
export function findTemplateById(
  { prisma }: { prisma: Pick<PrismaClient, 'template'> },
  { accountId, channelId }: { accountId: string; channelId: string },
  id: string,
): Promise<Template | null> {
  return prisma.template.findFirst({ where: { id, accountId, channelId } });
}
