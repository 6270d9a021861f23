import { type PrismaClient, type Template, TemplateStatus } from '../../platform/generated/prisma/client.js';

export { TemplateStatus } from '../../platform/generated/prisma/client.js';
export type { Template };

/** @param status case-insensitive; an unknown status matches no template */
export async function listTemplates(
  { prisma }: { prisma: Pick<PrismaClient, 'template'> },
  scope: { accountId: string; channelId: string },
  status?: string,
): Promise<Template[]> {
  const statusFilter = status?.toUpperCase();
  if (statusFilter !== undefined && !isStatus(statusFilter)) return [];
  return prisma.template.findMany({ where: { ...scope, status: statusFilter }, orderBy: { id: 'desc' } });
}

function isStatus(text: string): text is TemplateStatus {
  return Object.hasOwn(TemplateStatus, text);
}

export async function findTemplatesSyncedAt(
  { prisma }: { prisma: Pick<PrismaClient, 'channel'> },
  { accountId, channelId }: { accountId: string; channelId: string },
): Promise<Date | null> {
  const where = { id: channelId, accountId };
  const channel = await prisma.channel.findFirst({ where, select: { templatesSyncedAt: true } });
  return channel?.templatesSyncedAt ?? null;
}
