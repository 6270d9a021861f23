import type { Transaction } from '../../platform/store/transaction.js';
import { findOptOutParty, recordOptOut } from './opt-out-events.js';
import { addOptOut, type OptOutRef, removeOptOut, resolveRef } from './opt-outs.js';

/**
 * Changes an opt-out for an operator, writes an entry of the consent ledger, and notifies webhooks. Returns whether something changed.
 * @throws {AppError} as `addOptOut` and `removeOptOut`
 */
export async function setOptOutByOperator(
  { prisma, client }: Pick<Transaction, 'prisma' | 'client'>,
  isActive: boolean,
  ref: OptOutRef & { at: Date },
): Promise<boolean> {
  const hasChanged = await (isActive ? addOptOut : removeOptOut)(prisma, ref);
  if (!hasChanged) return false;
  const { accountId, at } = ref;
  const resolved = await resolveRef(prisma, ref);
  const party = await findOptOutParty(client, resolved);
  await recordOptOut(client, { ...party, accountId, isActive, source: 'operator', at }, resolved.addresses);
  return true;
}
