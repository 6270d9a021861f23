import { AppError } from '../../platform/errors/app-error.js';
import type { Prisma, PrismaClient, SpendHold } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

/** Numbers that were released from a hold cannot be held again for this time. */
const RELEASE_MINUTES = 60;

export type ActiveHold = Pick<SpendHold, 'id' | 'prefix' | 'reason' | 'messages' | 'heldAt' | 'until'>;

/** Latest first. */
export function listHolds(
  prisma: Pick<PrismaClient, 'spendHold'>,
  accountId: string,
  now: Date,
): Promise<ActiveHold[]> {
  return prisma.spendHold.findMany({
    where: { accountId, until: { gt: now }, releasedAt: null },
    select: { id: true, prefix: true, reason: true, messages: true, heldAt: true, until: true },
    orderBy: { id: 'desc' },
  });
}

/**
 * Releases an active hold of the account, or of any account if `accountId` is null.
 * @throws {AppError} NOT_FOUND if the ID belongs to no active hold
 */
export async function releaseHold(
  prisma: Prisma.TransactionClient,
  { id, accountId }: { id: string; accountId: string | null },
  releasedBy: string,
  now: Date,
): Promise<{ accountId: string; prefix: string; reason: string; until: Date }> {
  const where = { id, ...(accountId !== null && { accountId }), until: { gt: now }, releasedAt: null };
  const until = new Date(now.getTime() + RELEASE_MINUTES * 60_000);
  const hold = isUuid(id) ? await prisma.spendHold.findFirst({ where }) : null;
  const { count } = hold
    ? await prisma.spendHold.updateMany({ where, data: { releasedAt: now, releasedBy, until } })
    : { count: 0 };
  if (!hold || count === 0) throw new AppError('NOT_FOUND', `there is no active hold ${id}`);
  return { accountId: hold.accountId, prefix: `+${hold.prefix}`, reason: hold.reason, until };
}

export function toHoldRecord({ prefix, heldAt, until, ...hold }: ActiveHold) {
  return { ...hold, prefix: `+${prefix}`, heldAt: heldAt.toISOString(), until: until.toISOString() };
}
