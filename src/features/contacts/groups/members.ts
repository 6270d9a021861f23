import type pg from 'pg';
import { notFound } from '../../../platform/errors/app-error.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import { withTransaction } from '../../../platform/store/with-transaction.js';
import { emitContactUpdated } from '../record.js';
import { ADD_MEMBER, changeMember, lockContactAndGroup, type Membership, REMOVE_MEMBER } from './member-store.js';

type MemberChange = (connection: pg.Pool | pg.PoolClient, membership: Membership, at: Date) => Promise<boolean>;

/**
 * Emits `contact.updated`, or returns false if the contact was already a member.
 * @throws {AppError} NOT_FOUND if the channel has no such contact or group
 */
export const addMember: MemberChange = (...change) => changeAndEmit(ADD_MEMBER, ...change);

/**
 * Emits `contact.updated`, or returns false if the contact was not a member.
 * @throws {AppError} NOT_FOUND as `addMember`
 */
export const removeMember: MemberChange = (...change) => changeAndEmit(REMOVE_MEMBER, ...change);

async function changeAndEmit(
  statement: Statement,
  ...[connection, membership, at]: Parameters<MemberChange>
): Promise<boolean> {
  return await withTransaction(connection, async (client) => {
    const { contact, hasGroup } = await lockContactAndGroup(client, membership);
    if (!hasGroup) throw notFound('group');
    if (!contact) throw notFound('contact');
    const changed = await changeMember(client, statement, { ...membership, contactId: contact.id });
    if (changed) {
      const { accountId, ...row } = contact;
      const { channelId, groupId } = membership;
      const kind = statement === ADD_MEMBER ? 'added_to_group' : 'removed_from_group';
      await emitContactUpdated(client, { accountId, channelId }, row, { change: kind, groupId }, at);
    }
    return changed;
  });
}
