import type pg from 'pg';
import { AppError, notFound } from '../../../platform/errors/app-error.js';
import { emitContactsChanged } from '../record.js';
import { listContactPage } from '../search/list.js';
import type { ContactFilter } from '../search/list-store.js';
import { addMembers, lockContactsAndGroup } from './member-store.js';

/** Number of contacts that a transaction can write within a few seconds. */
export const MAX_MATCHES = 100_000;
/** Contacts per statement. */
const SLICE_CONTACTS = 1_000;

/**
 * Newest first.
 * @throws {AppError} INVALID_REQUEST if `search` matches more than MAX_MATCHES contacts
 */
export async function findMatchingIds(options: { pool: pg.Pool }, filter: ContactFilter): Promise<string[]> {
  const ids: string[] = [];
  let before: string | null = null;
  do {
    const { contacts, next } = await listContactPage(options, filter, { limit: SLICE_CONTACTS, before });
    ids.push(...contacts.map(({ id }) => id));
    before = next;
    if (ids.length > MAX_MATCHES) {
      const rule = `must find at most ${MAX_MATCHES.toLocaleString('en')} contacts at once`;
      throw new AppError('INVALID_REQUEST', `search ${rule}`, [{ field: 'search', rule }]);
    }
  } while (before !== null);
  return ids;
}

/**
 * Skips deleted contacts, and returns the number of new members.
 * @throws {AppError} NOT_FOUND for unknown groups
 */
export async function addMatches(
  client: pg.PoolClient,
  { accountId, channelId, groupId }: { accountId: string; channelId: string; groupId: string },
  contactIds: readonly string[],
  at: Date,
): Promise<number> {
  // The IDs are sorted, because contacts are locked in the order of their IDs.
  const ids = [...contactIds].sort();
  let changed = 0;
  for (let start = 0; start === 0 || start < ids.length; start += SLICE_CONTACTS) {
    const slice = ids.slice(start, start + SLICE_CONTACTS);
    const { contacts, hasGroup } = await lockContactsAndGroup(client, { accountId, channelId, groupId }, slice);
    if (!hasGroup) throw notFound('group');
    const existingIds = contacts.map(({ id }) => id);
    const addedIds = new Set(await addMembers(client, groupId, existingIds));
    const newMembers = contacts.filter(({ id }) => addedIds.has(id));
    if (newMembers.length > 0) {
      const change = { change: 'added_to_group' as const, groupId };
      await emitContactsChanged(client, { accountId, channelId }, newMembers, change, at);
    }
    changed += addedIds.size;
  }
  return changed;
}
