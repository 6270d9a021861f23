import type pg from 'pg';
import { AppError } from '../../../platform/errors/app-error.js';
import type { Statement } from '../../../platform/store/pool.js';
import { within } from '../../../platform/store/within.js';
import { emitContactUpdated } from '../record.js';
import { ADD_MEMBER, changeMember, lockBoth, type Membership, REMOVE_MEMBER } from './member-store.js';

/**
 * Adds a contact to a group, keeps the group's count and tells the channel's webhooks.
 * @returns whether it was not a member before
 * @throws {AppError} NOT_FOUND when the channel has no such contact or no such group
 */
export async function addMember(
  connection: pg.Pool | pg.PoolClient,
  membership: Membership,
  at: Date,
): Promise<boolean> {
  return await change(connection, ADD_MEMBER, membership, at);
}

/**
 * Removes a contact from a group, keeps the group's count and tells the channel's webhooks.
 * @returns whether it was a member before
 * @throws {AppError} NOT_FOUND when the channel has no such contact or no such group
 */
export async function removeMember(
  connection: pg.Pool | pg.PoolClient,
  membership: Membership,
  at: Date,
): Promise<boolean> {
  return await change(connection, REMOVE_MEMBER, membership, at);
}

async function change(connection: pg.Pool | pg.PoolClient, statement: Statement, membership: Membership, at: Date) {
  return await within(connection, async (client) => {
    const { contact, hasGroup } = await lockBoth(client, membership);
    if (!hasGroup) throw new AppError('NOT_FOUND', 'There is no group with this id.');
    if (!contact) throw new AppError('NOT_FOUND', 'There is no contact with this id.');
    const changed = await changeMember(client, statement, membership);
    if (changed) {
      const { accountId, ...row } = contact;
      const { channelId, groupId } = membership;
      const kind = statement === ADD_MEMBER ? 'added_to_group' : 'removed_from_group';
      await emitContactUpdated(client, { accountId, channelId }, row, { change: kind, groupId }, at);
    }
    return changed;
  });
}
