import { type PrismaClient, type Template, TemplateStatus } from '../../platform/generated/prisma/client.js';

/** The statuses that a template may have. */
export { TemplateStatus } from '../../platform/generated/prisma/client.js';
export type { Template };

/**
 * The templates of a channel, the newest first.
 * @param status in any case; an unknown one finds none
 */
export async function listTemplates(
  { prisma }: { prisma: Pick<PrismaClient, 'template'> },
  scope: { accountId: string; channelId: string },
  status?: string,
): Promise<Template[]> {
  const wanted = status?.toUpperCase();
  if (wanted !== undefined && !isStatus(wanted)) return [];
  return prisma.template.findMany({ where: { ...scope, status: wanted }, orderBy: { id: 'desc' } });
}

function isStatus(text: string): text is TemplateStatus {
  return Object.hasOwn(TemplateStatus, text);
}

/** When a channel has last taken over its carrier's templates; null: never. */
export async function templatesSyncedAt(
  { prisma }: { prisma: Pick<PrismaClient, 'channel'> },
  { accountId, channelId }: { accountId: string; channelId: string },
): Promise<Date | null> {
  const where = { id: channelId, accountId };
  const channel = await prisma.channel.findFirst({ where, select: { templatesSyncedAt: true } });
  return channel?.templatesSyncedAt ?? null;
}
