import type { AuditLine, Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { lowestIdAt } from '../../platform/ids.js';

/** Which lines are asked for. */
export interface AuditFilter {
  /** Of one account. */
  accountId?: string;
  /** A part of the name of who made the change. */
  actor?: string;
  /** The action, or its beginning: `app` finds `app.create`. */
  action?: string;
  subject?: string;
  /** Not before. */
  from?: Date;
  /** Before. */
  to?: Date;
}

/** A page of the audit log, the newest line first. */
export async function listAudit(
  { prisma }: { prisma: Pick<PrismaClient, 'auditLine'> },
  { accountId, actor, action, subject, from, to }: AuditFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<{ lines: AuditLine[]; next: string | null }> {
  // Ids begin with their time, so times are found by the key.
  const end = [before, to ? lowestIdAt(to) : null].filter((each) => each !== null).sort()[0];
  const id: Prisma.UuidFilter = { ...(end && { lt: end }), ...(from && { gte: lowestIdAt(from) }) };
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
