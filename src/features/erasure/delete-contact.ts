import type pg from 'pg';
import { unlinkContact } from '../../messages/stored-messages/contact-links-store.js';
import type { Clock } from '../../platform/clock.js';
import { isPool } from '../../platform/store/connections/pool.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { UNSET_FIELDS } from '../contacts/contact-fields.js';
import { type ContactKey, countContacts } from '../contacts/contact-store.js';
import { deleteRow, leaveGroups, lockConversation, lockForDeletion } from '../contacts/delete-store.js';
import { findSurvivors } from '../contacts/identity/survivor-store.js';
import { emitContactDeleted } from '../contacts/record.js';
import { emptyInboundOfContact } from '../inbound/erase-store.js';

export interface DeleteOptions {
  pool: Connection;
  clock: Clock;
}

/**
 * Deletes a contact with its memberships, conversation and automation runs, empties its inbound messages, and emits
 * `contact.deleted`. Messages sent to the contact stay, because they were charged. Carrier IDs stay, so that a repeated
 * report does not create the contact again.
 * @param reportsIdOnly leaves number and name out of the event
 * @returns its ID, or that of the contact it was merged into; null if the channel has no such contact
 */
export async function deleteContact(
  { pool, clock }: DeleteOptions,
  key: ContactKey,
  { reportsIdOnly = false } = {},
): Promise<string | null> {
  return await withTransaction(pool, async (client) => {
    const id = await lockForDeletion(client, key);
    if (id === null) return null;
    await leaveGroups(client, id);
    await lockConversation(client, id);
    await unlinkContact(client, id);
    await emptyInboundOfContact(client, id);
    const deleted = await deleteRow(client, id);
    const reported = reportsIdOnly
      ? { ...deleted, phone: '', userId: null, parentUserId: null, username: null, ...UNSET_FIELDS }
      : deleted;
    await emitContactDeleted(client, key, reported, clock.now());
    await countContacts(client, key.channelId, -1);
    return id;
  });
}

const MAX_CONCURRENT = 4;

export interface Deleted {
  /** Without duplicates. */
  deleted: string[];
  unknown: string[];
}

/** With a pool, each contact has its own transaction, so that an interrupted call can be repeated. */
export async function deleteContacts(
  options: DeleteOptions,
  scope: Omit<ContactKey, 'id'>,
  ids: readonly string[],
): Promise<Deleted> {
  const different = [...new Set(ids)];
  const survivors = await findSurvivors(options.pool, different);
  const meantBy = (id: string) => survivors.get(id) ?? id;
  const meant = new Set(different.map(meantBy));
  const gone = await (isPool(options.pool) ? deleteEach(options, scope, meant) : deleteTogether(options, scope, meant));
  return { deleted: [...new Set(gone.values())], unknown: different.filter((id) => !gone.has(meantBy(id))) };
}

/** IDs of deleted contacts, by requested ID. */
type Gone = Map<string, string>;

async function deleteEach(options: DeleteOptions, scope: Omit<ContactKey, 'id'>, ids: ReadonlySet<string>) {
  const gone: Gone = new Map();
  const rest = ids.values();
  const work = async () => {
    for (const id of rest) await deleteNamed(options, { ...scope, id }, gone);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT }, work));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return gone;
}

/** Locks contacts in the order of their IDs before the first deletion locks the channel and its count. */
async function deleteTogether(options: DeleteOptions, scope: Omit<ContactKey, 'id'>, ids: ReadonlySet<string>) {
  const client = options.pool as pg.PoolClient;
  const gone: Gone = new Map();
  const inOrder = [...ids].sort();
  for (const id of inOrder) await lockForDeletion(client, { ...scope, id });
  for (const id of inOrder) await deleteNamed(options, { ...scope, id }, gone);
  return gone;
}

async function deleteNamed(options: DeleteOptions, key: ContactKey, gone: Gone): Promise<void> {
  const deleted = await deleteContact(options, key);
  if (deleted !== null) gone.set(key.id, deleted);
}
