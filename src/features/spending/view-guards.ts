import { requireAccount } from '../../accounts/accounts.js';
import { formatMoney } from '../../accounts/money.js';
import { readUsedAmounts } from '../../messages/accept/guard/used-store.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { type GuardInput, type GuardOwner, type LimitInput, listKeyGuards, toGuardInput } from './guards.js';
import { type ActiveHold, listHolds } from './holds.js';

export interface LimitUsage extends LimitInput {
  /** Usage in the unit of the limit; null for a limit per recipient or sender ID. */
  used: string | null;
}

export interface GuardView extends Omit<GuardInput, 'limits'> {
  limits: LimitUsage[];
}

async function viewGuard(pool: Connection, owner: GuardOwner, stored: unknown, now: Date): Promise<GuardView | null> {
  const guard = toGuardInput(stored);
  if (!guard) return null;
  const usedBySpan = guard.limits.length > 0 ? await readUsedAmounts(pool, owner, now) : new Map();
  return {
    ...guard,
    limits: guard.limits.map((limit) => {
      const { messages = 0n, micros = 0n } = usedBySpan.get(limit.span) ?? {};
      const amount = limit.measure === 'messages' ? String(messages) : formatMoney(micros);
      return { ...limit, used: limit.scope === 'total' ? amount : null };
    }),
  };
}

export interface GuardsView {
  /** ISO 4217. */
  currency: string;
  guard: GuardView | null;
  /** Active keys, oldest first. */
  keys: { id: string; name: string; guard: GuardView | null }[];
  holds: ActiveHold[];
}

export async function viewGuards(
  { prisma, pool }: { prisma: Prisma.TransactionClient; pool: Connection },
  accountId: string,
  now: Date,
): Promise<GuardsView> {
  const { currency, spendGuard } = await requireAccount(prisma, accountId);
  const keys: GuardsView['keys'] = [];
  for (const { id, name, spendGuard: stored } of await listKeyGuards(prisma, accountId)) {
    keys.push({ id, name, guard: await viewGuard(pool, { accountId, keyId: id }, stored, now) });
  }
  return {
    currency,
    guard: await viewGuard(pool, { accountId, keyId: null }, spendGuard, now),
    keys,
    holds: await listHolds(prisma, accountId, now),
  };
}
