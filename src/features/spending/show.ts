import { requireAccount } from '../../accounts/accounts.js';
import { formatMoney } from '../../accounts/money.js';
import { findUsed } from '../../messages/accept/guard/used-store.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/within.js';
import { type GuardOwner, listKeyGuards, type WrittenGuard, type WrittenLimit, writtenGuard } from './guards.js';
import { type ActiveHold, listHolds } from './holds.js';

/** A limit with what of it is used, where it is one of the total. */
export interface ShownLimit extends WrittenLimit {
  /** In the same unit; null of limits of one recipient or sender ID. */
  used: string | null;
}

/** A guard with what of its limits is used. */
export interface ShownGuard extends Omit<WrittenGuard, 'limits'> {
  limits: ShownLimit[];
}

/** A guard as operators see it; null where none is set. */
async function showGuard(pool: Connection, owner: GuardOwner, stored: unknown, now: Date): Promise<ShownGuard | null> {
  const guard = writtenGuard(stored);
  if (!guard) return null;
  const used = guard.limits.length > 0 ? await findUsed(pool, owner, now) : new Map();
  return {
    ...guard,
    limits: guard.limits.map((limit) => {
      const { messages = 0n, micros = 0n } = used.get(limit.span) ?? {};
      const amount = limit.measure === 'messages' ? String(messages) : formatMoney(micros);
      return { ...limit, used: limit.scope === 'total' ? amount : null };
    }),
  };
}

/** The guards of an account and of its keys. */
export interface ShownGuards {
  /** ISO 4217. */
  currency: string;
  guard: ShownGuard | null;
  /** Those that are not revoked, the oldest first. */
  keys: { id: string; name: string; guard: ShownGuard | null }[];
  holds: ActiveHold[];
}

/**
 * The guards of an account and of its keys, as operators see them.
 * @param now decides which spans are counted
 */
export async function showGuards(
  { prisma, pool }: { prisma: Prisma.TransactionClient; pool: Connection },
  accountId: string,
  now: Date,
): Promise<ShownGuards> {
  const { currency, spendGuard } = await requireAccount(prisma, accountId);
  const keys: ShownGuards['keys'] = [];
  for (const { id, name, spendGuard: stored } of await listKeyGuards(prisma, accountId)) {
    keys.push({ id, name, guard: await showGuard(pool, { accountId, keyId: id }, stored, now) });
  }
  return {
    currency,
    guard: await showGuard(pool, { accountId, keyId: null }, spendGuard, now),
    keys,
    holds: await listHolds(prisma, accountId, now),
  };
}
