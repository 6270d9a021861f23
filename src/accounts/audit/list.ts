import type { AuditLine, Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { lowestIdAt } from '../../platform/ids.js';

export interface AuditFilter {
  accountId?: string;
  /** Part of the name. */
  actor?: string;
  /** Prefix of the action, so that `app` matches `app.create`. */
  action?: string;
  subject?: string;
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
}

export async function listAudit(
  { prisma }: { prisma: Pick<PrismaClient, 'auditLine'> },
  { accountId, actor, action, subject, from, to }: AuditFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<{ lines: AuditLine[]; next: string | null }> {
  // The IDs of audit log entries begin with the creation time, so a range of IDs selects a period.
  const upperBound = [before, to ? lowestIdAt(to) : null].filter((bound) => bound !== null).sort()[0];
  const id: Prisma.UuidFilter = { ...(upperBound && { lt: upperBound }), ...(from && { gte: lowestIdAt(from) }) };
  const lines = await prisma.auditLine.findMany({
    where: {
      id,
      accountId,
      subject,
      ...(actor && { actorName: { contains: actor, mode: 'insensitive' } }),
      ...(action && { action: { startsWith: action } }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const page = lines.slice(0, limit);
  return { lines: page, next: lines.length > limit ? (page.at(-1)?.id ?? null) : null };
}
