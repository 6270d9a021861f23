import type pg from 'pg';
import { AppError, notFound } from '../../../platform/errors/app-error.js';
import { withTransaction } from '../../../platform/store/with-transaction.js';
import { emitContactsChanged } from '../record.js';
import { addMembers, lockContactsAndGroup, removeMembers } from './member-store.js';

/** The group and all contacts belong to the same channel. */
export interface Memberships {
  accountId: string;
  channelId: string;
  groupId: string;
  contactIds: readonly string[];
}

/**
 * Adds or removes either all contacts or none, and returns the number of changed contacts.
 * @throws {AppError} NOT_FOUND if the channel has no such group, or NOT_FOUND with the position of an unknown contact
 */
export async function changeMembers(
  connection: pg.Pool | pg.PoolClient,
  change: 'add' | 'remove',
  { accountId, channelId, groupId, contactIds }: Memberships,
  at: Date,
): Promise<number> {
  return await withTransaction(connection, async (client) => {
    const uniqueIds = [...new Set(contactIds)];
    const { contacts, survivors, hasGroup } = await lockContactsAndGroup(
      client,
      { accountId, channelId, groupId },
      uniqueIds,
    );
    if (!hasGroup) throw notFound('group');
    const knownIds = new Set(contacts.map(({ id }) => id));
    const unknownIndex = contactIds.findIndex((id) => !knownIds.has(survivors.get(id) ?? id));
    if (unknownIndex !== -1) throw new AppError('NOT_FOUND', `No contact has the id in contactIds[${unknownIndex}].`);
    const changedIds = new Set(await (change === 'add' ? addMembers : removeMembers)(client, groupId, [...knownIds]));
    const kind = change === 'add' ? 'added_to_group' : 'removed_from_group';
    await emitContactsChanged(
      client,
      { accountId, channelId },
      contacts.filter(({ id }) => changedIds.has(id)),
      { change: kind, groupId },
      at,
    );
    return changedIds.size;
  });
}
