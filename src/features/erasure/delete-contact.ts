import type pg from 'pg';
import { unlinkContact } from '../../messages/stored-messages/contact-links-store.js';
import type { Clock } from '../../platform/clock.js';
import { isPool } from '../../platform/store/connections/pool.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { UNSET_FIELDS } from '../contacts/contact-fields.js';
import { type ContactKey, changeContactCount } from '../contacts/contact-store.js';
import { deleteContactRow, leaveGroups, lockConversation, lockForDeletion } from '../contacts/delete-store.js';
import { findSurvivors } from '../contacts/identity/survivor-store.js';
import { emitContactDeleted } from '../contacts/record.js';
import { emptyInboundOfContact } from '../inbound/erase-store.js';

export interface DeleteOptions {
  pool: Connection;
  clock: Clock;
}

/**
 * Deletes a contact with its memberships, conversation and automation runs, empties its inbound messages, and emits
 * `contact.deleted`. Messages sent to the contact stay, because they were charged. Emptied messages keep their carrier
 * IDs, so that a repeated report does not create the contact again. Returns the ID of the deleted contact, which is the
 * survivor of a merged contact, or null if the channel has no such contact.
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
    const deleted = await deleteContactRow(client, id);
    const reportedContact = reportsIdOnly
      ? { ...deleted, phone: '', userId: null, parentUserId: null, username: null, ...UNSET_FIELDS, ...UNSET_MARKS }
      : deleted;
    await emitContactDeleted(client, key, reportedContact, clock.now());
    await changeContactCount(client, key.channelId, -1);
    return id;
  });
}

const UNSET_MARKS = { tags: [], fields: null };

const MAX_CONCURRENT = 4;

export interface DeletionResult {
  /** Without duplicates. */
  deleted: string[];
  unknown: string[];
}

/**
 * If `options.pool` is a pool, each contact is deleted in its own transaction, so that an interrupted call can be
 * repeated.
 */
export async function deleteContacts(
  options: DeleteOptions,
  scope: Omit<ContactKey, 'id'>,
  ids: readonly string[],
): Promise<DeletionResult> {
  const uniqueIds = [...new Set(ids)];
  const survivors = await findSurvivors(options.pool, uniqueIds);
  const toSurvivorId = (id: string) => survivors.get(id) ?? id;
  const survivorIds = new Set(uniqueIds.map(toSurvivorId));
  const deletedIds = await (isPool(options.pool)
    ? deleteEach(options, scope, survivorIds)
    : deleteTogether(options, scope, survivorIds));
  return {
    deleted: [...new Set(deletedIds.values())],
    unknown: uniqueIds.filter((id) => !deletedIds.has(toSurvivorId(id))),
  };
}

/** Maps each requested ID to the ID of the contact that was deleted. */
type DeletedIds = Map<string, string>;

async function deleteEach(options: DeleteOptions, scope: Omit<ContactKey, 'id'>, ids: ReadonlySet<string>) {
  const deletedIds: DeletedIds = new Map();
  const rest = ids.values();
  const work = async () => {
    for (const id of rest) await deleteAndRecord(options, { ...scope, id }, deletedIds);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT }, work));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return deletedIds;
}

/**
 * To avoid deadlocks, all contacts are locked in ID order before the first deletion locks the channel's contact count.
 */
async function deleteTogether(options: DeleteOptions, scope: Omit<ContactKey, 'id'>, ids: ReadonlySet<string>) {
  const client = options.pool as pg.PoolClient;
  const deletedIds: DeletedIds = new Map();
  const sortedIds = [...ids].sort();
  for (const id of sortedIds) await lockForDeletion(client, { ...scope, id });
  for (const id of sortedIds) await deleteAndRecord(options, { ...scope, id }, deletedIds);
  return deletedIds;
}

async function deleteAndRecord(options: DeleteOptions, key: ContactKey, deletedIds: DeletedIds): Promise<void> {
  const deleted = await deleteContact(options, key);
  if (deleted !== null) deletedIds.set(key.id, deleted);
}
