import type pg from 'pg';
import { AccountLocked, type HeldAccounts, SHARED_LOCK_MS } from '../../accounts/held-accounts.js';
import { endMessages, findOwners } from './end-store.js';
import type { EndEvent } from './events.js';

export interface EndOptions {
  pool: pg.Pool;
  held: HeldAccounts;
  now: Date;
}

/** What became of events that end messages. */
export interface Ended {
  /** The messages that were ended. */
  ids: Set<string>;
  /** The events that wait for their account, by the id of the message, with the id of the account. */
  waiting: Map<string, string>;
}

/**
 * Ends messages, except those of locked accounts.
 * @param accounts gets the ids of the accounts whose messages were ended
 */
export async function endFreeMessages(
  options: EndOptions,
  events: readonly EndEvent[],
  accounts: Set<string>,
): Promise<Ended> {
  const { pool, held, now } = options;
  // The owners are looked up only while an account is locked.
  if (held.size > 0) return endApart(options, events, accounts);
  try {
    return { ids: await endMessages(pool, events, now, SHARED_LOCK_MS, accounts), waiting: new Map() };
  } catch (error) {
    if (!(error instanceof AccountLocked)) throw error;
    const owners = await findOwners(pool, events);
    await held.find([...new Set(owners.values())]);
    return endApart(options, events, accounts, owners);
  }
}

async function endApart(
  { pool, held, now }: EndOptions,
  events: readonly EndEvent[],
  accounts: Set<string>,
  known?: Map<string, string>,
): Promise<Ended> {
  const owners = known ?? (await findOwners(pool, events));
  const ended: Ended = { ids: new Set(), waiting: new Map() };
  const free: EndEvent[] = [];
  for (const event of events) {
    const accountId = owners.get(event.id);
    if (accountId !== undefined && held.isHeld(accountId)) ended.waiting.set(event.id, accountId);
    else free.push(event);
  }
  const ownerIds = [...new Set(free.map(({ id }) => owners.get(id)))];
  // Once the locked account is known, the others are written together; otherwise each account is tried alone to find it.
  const groups = ended.waiting.size > 0 || !known ? [ownerIds] : ownerIds.map((id) => [id]);
  for (const group of groups) {
    const part = free.filter(({ id }) => group.includes(owners.get(id)));
    if (part.length === 0) continue;
    try {
      for (const id of await endMessages(pool, part, now, SHARED_LOCK_MS, accounts)) ended.ids.add(id);
    } catch (error) {
      if (!(error instanceof AccountLocked)) throw error;
      const [accountId] = group;
      if (group.length === 1 && accountId !== undefined) held.hold(accountId);
      else await held.find(group.filter((id) => id !== undefined));
      const again = await endApart({ pool, held, now }, part, accounts, owners);
      for (const id of again.ids) ended.ids.add(id);
      for (const [id, owner] of again.waiting) ended.waiting.set(id, owner);
    }
  }
  return ended;
}
