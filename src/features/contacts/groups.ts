import type pg from 'pg';
import { AppError } from '../../platform/errors.js';
import { within } from './transaction.js';

/** A contact and a group, both of this channel. */
export interface Membership {
  channelId: string;
  groupId: string;
  contactId: string;
}

/**
 * Adds a contact to a group and keeps the group's count.
 * @returns whether it was not a member before
 * @throws {AppError} NOT_FOUND when the channel has no such contact or no such group
 */
export async function addMember(connection: pg.Pool | pg.PoolClient, membership: Membership): Promise<boolean> {
  return await within(connection, async (client) => {
    await lockBoth(client, membership);
    const { rowCount } = await client.query({
      name: 'groups-add-member',
      text: `
WITH added AS (
  INSERT INTO group_members (group_id, contact_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING group_id
)
UPDATE contact_groups SET contact_count = contact_count + 1 FROM added WHERE id = added.group_id`,
      values: [membership.groupId, membership.contactId],
    });
    return rowCount === 1;
  });
}

/**
 * Removes a contact from a group and keeps the group's count.
 * @returns whether it was a member before
 * @throws {AppError} NOT_FOUND when the channel has no such contact or no such group
 */
export async function removeMember(connection: pg.Pool | pg.PoolClient, membership: Membership): Promise<boolean> {
  return await within(connection, async (client) => {
    await lockBoth(client, membership);
    const { rowCount } = await client.query({
      name: 'groups-remove-member',
      text: `
WITH removed AS (DELETE FROM group_members WHERE group_id = $1 AND contact_id = $2 RETURNING group_id)
UPDATE contact_groups SET contact_count = contact_count - 1 FROM removed WHERE id = removed.group_id`,
      values: [membership.groupId, membership.contactId],
    });
    return rowCount === 1;
  });
}

/** Until the transaction ends neither can be deleted, and the members of the group are this transaction's to change. */
async function lockBoth(client: pg.PoolClient, { channelId, groupId, contactId }: Membership): Promise<void> {
  const contact = await client.query({
    name: 'groups-lock-contact',
    text: 'SELECT 1 FROM contacts WHERE id = $1 AND channel_id = $2 FOR KEY SHARE',
    values: [contactId, channelId],
  });
  const group = await client.query({
    name: 'groups-lock-group',
    text: 'SELECT 1 FROM contact_groups WHERE id = $1 AND channel_id = $2 FOR NO KEY UPDATE',
    values: [groupId, channelId],
  });
  if (group.rowCount === 0) throw new AppError('NOT_FOUND', 'There is no group with this id.');
  if (contact.rowCount === 0) throw new AppError('NOT_FOUND', 'There is no contact with this id.');
}
