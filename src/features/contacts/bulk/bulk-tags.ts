import type pg from 'pg';
import { invalidField } from '../../../platform/errors/app-error.js';
import { type Connection, withTransaction } from '../../../platform/store/with-transaction.js';
import { requireTags, requireTagsOfContact } from '../custom/tag-names.js';
import { ensureTags } from '../custom/tags.js';
import { findSurvivors } from '../identity/survivor-store.js';
import { emitContactsChanged } from '../record.js';
import { changeTags } from './bulk-tags-store.js';

/** Contacts per statement. */
const SLICE_CONTACTS = 1_000;

export interface TagEdit {
  add: readonly string[];
  remove: readonly string[];
}

/**
 * Checks tags before contacts are searched.
 * @throws {AppError} INVALID_REQUEST for invalid tags, no tags, or a tag that is both added and removed
 */
export function checkTagEdit({ add = [], remove = [] }: Partial<TagEdit>): TagEdit {
  const added = requireTagsOfContact('add', add);
  const removed = requireTags('remove', remove);
  if (added.length + removed.length === 0) throw invalidField('add', 'is required unless remove is sent');
  if (added.some((tag) => removed.includes(tag))) throw invalidField('remove', 'must not have a tag that is in add');
  return { add: added, remove: removed };
}

/**
 * Adds and removes tags of contacts. Follows merges, skips deleted contacts, and returns the number of changed contacts.
 * If `pool` is a pool, up to 1,000 contacts are changed in one transaction, so that an interrupted call can be repeated.
 */
export async function editTags(
  { pool }: { pool: Connection },
  { accountId, channelId }: { accountId: string; channelId: string },
  contactIds: readonly string[],
  { add, remove }: TagEdit,
  now: Date,
): Promise<number> {
  const ids = [...new Set(contactIds)].sort();
  let changed = 0;
  for (let start = 0; start < ids.length; start += SLICE_CONTACTS) {
    const slice = ids.slice(start, start + SLICE_CONTACTS);
    changed += await withTransaction(pool, async (client) => {
      await ensureTags(client, accountId, add, now);
      const currentIds = await followMerges(client, slice);
      const contacts = await changeTags(client, { accountId, channelId, contactIds: currentIds, add, remove }, now);
      if (contacts.length > 0)
        await emitContactsChanged(client, { accountId, channelId }, contacts, { change: 'updated' }, now);
      return contacts.length;
    });
  }
  return changed;
}

async function followMerges(client: pg.PoolClient, ids: readonly string[]): Promise<string[]> {
  const survivors = await findSurvivors(client, ids);
  return [...new Set(ids.map((id) => survivors.get(id) ?? id))].sort();
}
