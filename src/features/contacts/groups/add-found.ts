import type pg from 'pg';
import { AppError, notFound } from '../../../platform/errors/app-error.js';
import { emitContactsChanged } from '../record.js';
import { pageContacts } from '../search/list.js';
import type { ContactFilter } from '../search/list-store.js';
import { addMembers, lockAll } from './member-store.js';

/** A transaction can write about this many contacts within a few seconds. */
export const MAX_FOUND = 100_000;
/** Contacts per statement. */
const SLICE = 1_000;

/**
 * Newest first.
 * @throws {AppError} INVALID_REQUEST for `search` if it matches more than MAX_MATCHES
 */
export async function findAll(options: { pool: pg.Pool }, filter: ContactFilter): Promise<string[]> {
  const ids: string[] = [];
  let before: string | null = null;
  do {
    const { contacts, next } = await pageContacts(options, filter, { limit: SLICE, before });
    ids.push(...contacts.map(({ id }) => id));
    before = next;
    if (ids.length > MAX_FOUND) {
      const rule = `must find at most ${MAX_FOUND.toLocaleString('en')} contacts to be added at once`;
      throw new AppError('INVALID_REQUEST', `search ${rule}`, [{ field: 'search', rule }]);
    }
  } while (before !== null);
  return ids;
}

/**
 * Skips deleted contacts.
 * @returns how many new members there are
 * @throws {AppError} NOT_FOUND if the channel has no such group
 */
export async function addFound(
  client: pg.PoolClient,
  { accountId, channelId, groupId }: { accountId: string; channelId: string; groupId: string },
  found: readonly string[],
  at: Date,
): Promise<number> {
  // Sorted, because contacts are locked in the order of their IDs.
  const ids = [...found].sort();
  let changed = 0;
  for (let start = 0; start === 0 || start < ids.length; start += SLICE) {
    const slice = ids.slice(start, start + SLICE);
    const { contacts, hasGroup } = await lockAll(client, { accountId, channelId, groupId }, slice);
    if (!hasGroup) throw notFound('group');
    const there = contacts.map(({ id }) => id);
    const added = new Set(await addMembers(client, groupId, there));
    const news = contacts.filter(({ id }) => added.has(id));
    if (news.length > 0) {
      const change = { change: 'added_to_group' as const, groupId };
      await emitContactsChanged(client, { accountId, channelId }, news, change, at);
    }
    changed += added.size;
  }
  return changed;
}
