import { formatMoney } from '../../accounts/money.js';
import { findUsed } from '../../messages/accept/guard/used-store.js';
import type { Connection } from '../../platform/store/within.js';
import { type GuardOwner, type WrittenGuard, type WrittenLimit, writtenGuard } from './guards.js';

/** A limit with what of it is used, where it is one of the total. */
export interface ShownLimit extends WrittenLimit {
  /** In the same unit; null of limits of one recipient or sender ID. */
  used: string | null;
}

export interface ShownGuard extends Omit<WrittenGuard, 'limits'> {
  limits: ShownLimit[];
}

/** A guard as operators see it; null where none is set. */
export async function showGuard(
  pool: Connection,
  owner: GuardOwner,
  stored: unknown,
  now: Date,
): Promise<ShownGuard | null> {
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
