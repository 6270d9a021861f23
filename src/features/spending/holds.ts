import { AppError } from '../../platform/errors/app-error.js';
import type { Prisma, PrismaClient, SpendHold } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

/** What is not held for so many minutes once somebody has released it. */
const RELEASED_MINUTES = 60;

/** Numbers that are held now. */
export type ActiveHold = Pick<SpendHold, 'id' | 'prefix' | 'reason' | 'messages' | 'heldAt' | 'until'>;

/** What an account holds now, the latest first. */
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
 * Releases numbers: they are sent to at once, and for an hour nothing of them is held.
 * @param accountId null: of any account
 * @param by who does it
 * @returns whose they are, and with what they begin
 * @throws {AppError} NOT_FOUND where nothing of this id is held now
 */
export async function releaseHold(
  prisma: Prisma.TransactionClient,
  { id, accountId }: { id: string; accountId: string | null },
  by: string,
  now: Date,
): Promise<{ accountId: string; prefix: string; reason: string; until: Date }> {
  const where = { id, ...(accountId !== null && { accountId }), until: { gt: now }, releasedAt: null };
  const until = new Date(now.getTime() + RELEASED_MINUTES * 60_000);
  const hold = isUuid(id) ? await prisma.spendHold.findFirst({ where }) : null;
  const { count } = hold
    ? await prisma.spendHold.updateMany({ where, data: { releasedAt: now, releasedBy: by, until } })
    : { count: 0 };
  if (!hold || count === 0) throw new AppError('NOT_FOUND', `nothing is held under ${id} now`);
  return { accountId: hold.accountId, prefix: `+${hold.prefix}`, reason: hold.reason, until };
}

/** A hold as it is shown. */
export function holdRecord({ prefix, heldAt, until, ...hold }: ActiveHold) {
  return { ...hold, prefix: `+${prefix}`, heldAt: heldAt.toISOString(), until: until.toISOString() };
}
