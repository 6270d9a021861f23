import type pg from 'pg';
import type { Clock } from '../../platform/clock.js';
import { isPool } from '../../platform/store/pool.js';
import { type Connection, within } from '../../platform/store/within.js';
import { type ContactKey, countContacts } from './contact-store.js';
import { deleteRow, leaveGroups, leaveMessages, lockForDeletion } from './delete-store.js';
import { emitContactDeleted } from './record.js';

export interface DeleteOptions {
  pool: Connection;
  clock: Clock;
}

/**
 * Deletes a contact for good, with its memberships, its conversation and what it wrote, and its runs of automations.
 * Messages to it stay, for they were charged, but no longer say whose they are. Of messages from it stays that the
 * carrier's ids were seen, so that a repeated report does not bring the contact back. The channel's webhooks are told.
 * @param tellsIdAlone what they are told holds neither number nor name
 * @returns whether the channel had it
 */
export async function deleteContact(
  { pool, clock }: DeleteOptions,
  key: ContactKey,
  { tellsIdAlone = false } = {},
): Promise<boolean> {
  return await within(pool, async (client) => {
    if (!(await lockForDeletion(client, key))) return false;
    await leaveGroups(client, key.id);
    await leaveMessages(client, key.id);
    const deleted = await deleteRow(client, key.id);
    const told = tellsIdAlone
      ? { ...deleted, phone: '', userId: null, parentUserId: null, username: null, name: '', email: '' }
      : deleted;
    await emitContactDeleted(client, key, told, clock.now());
    await countContacts(client, key.channelId, -1);
    return true;
  });
}

/** Deletions at once; each waits for its own locks. */
const DELETED_AT_ONCE = 4;

/**
 * Deletes contacts as `deleteContact` does: all in the caller's transaction or, given a pool, each in one of its own, so
 * that what is interrupted may be asked for again.
 * @returns ids of those that the channel does not have
 */
export async function deleteContacts(
  options: DeleteOptions,
  scope: Omit<ContactKey, 'id'>,
  ids: readonly string[],
): Promise<string[]> {
  const unknown = new Set<string>();
  if (!isPool(options.pool)) return await deleteTogether(options.pool, options, scope, ids);
  const rest = new Set(ids).values();
  const work = async () => {
    for (const id of rest) if (!(await deleteContact(options, { ...scope, id }))) unknown.add(id);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: DELETED_AT_ONCE }, work));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return ids.filter((id, index) => unknown.has(id) && ids.indexOf(id) === index);
}

/** Locks contacts in the order of their ids before the first is deleted: the channel and its count come last. */
async function deleteTogether(
  client: pg.PoolClient,
  options: DeleteOptions,
  scope: Omit<ContactKey, 'id'>,
  ids: readonly string[],
): Promise<string[]> {
  const different = [...new Set(ids)].sort();
  for (const id of different) await lockForDeletion(client, { ...scope, id });
  const unknown = new Set<string>();
  for (const id of different) if (!(await deleteContact(options, { ...scope, id }))) unknown.add(id);
  return ids.filter((id, index) => unknown.has(id) && ids.indexOf(id) === index);
}
