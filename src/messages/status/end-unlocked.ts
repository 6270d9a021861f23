import type pg from 'pg';
import { AccountLocked, type LockedAccounts, SHARED_LOCK_MS } from '../../accounts/locked-accounts.js';
import { endMessages, findOwners } from './end-store.js';
import type { EndEvent } from './events.js';

export interface EndOptions {
  pool: pg.Pool;
  lockedAccounts: LockedAccounts;
  now: Date;
}

export interface EndResult {
  ids: Set<string>;
  /** Account IDs of the events that must wait for a lock, by message ID. */
  deferred: Map<string, string>;
}

/** @param accounts receives the IDs of the accounts whose messages were ended */
export async function endUnlockedMessages(
  options: EndOptions,
  events: readonly EndEvent[],
  accounts: Set<string>,
): Promise<EndResult> {
  const { pool, lockedAccounts, now } = options;
  if (lockedAccounts.size > 0) return endWithoutLocked(options, events, accounts);
  try {
    return { ids: await endMessages(pool, events, now, SHARED_LOCK_MS, accounts), deferred: new Map() };
  } catch (error) {
    if (!(error instanceof AccountLocked)) throw error;
    const owners = await findOwners(pool, events);
    await lockedAccounts.findLocked([...new Set(owners.values())]);
    return endWithoutLocked(options, events, accounts, owners);
  }
}

async function endWithoutLocked(
  { pool, lockedAccounts, now }: EndOptions,
  events: readonly EndEvent[],
  accounts: Set<string>,
  knownOwners?: Map<string, string>,
): Promise<EndResult> {
  const owners = knownOwners ?? (await findOwners(pool, events));
  const result: EndResult = { ids: new Set(), deferred: new Map() };
  const unlockedEvents: EndEvent[] = [];
  for (const event of events) {
    const accountId = owners.get(event.id);
    if (accountId !== undefined && lockedAccounts.isLocked(accountId)) result.deferred.set(event.id, accountId);
    else unlockedEvents.push(event);
  }
  const ownerIds = [...new Set(unlockedEvents.map(({ id }) => owners.get(id)))];
  const groups = result.deferred.size > 0 || !knownOwners ? [ownerIds] : ownerIds.map((id) => [id]);
  for (const group of groups) {
    const groupEvents = unlockedEvents.filter(({ id }) => group.includes(owners.get(id)));
    if (groupEvents.length === 0) continue;
    try {
      for (const id of await endMessages(pool, groupEvents, now, SHARED_LOCK_MS, accounts)) result.ids.add(id);
    } catch (error) {
      if (!(error instanceof AccountLocked)) throw error;
      const [accountId] = group;
      if (group.length === 1 && accountId !== undefined) lockedAccounts.markLocked(accountId);
      else await lockedAccounts.findLocked(group.filter((id) => id !== undefined));
      const retryResult = await endWithoutLocked({ pool, lockedAccounts, now }, groupEvents, accounts, owners);
      for (const id of retryResult.ids) result.ids.add(id);
      for (const [id, owner] of retryResult.deferred) result.deferred.set(id, owner);
    }
  }
  return result;
}
