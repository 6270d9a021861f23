import type pg from 'pg';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import type { ActionReport } from '../../carriers/inbound-message.js';
import { toAddress } from '../../carriers/numbers/user-ids.js';
import type { Clock } from '../../platform/clock.js';
import { deriveId } from '../../platform/ids.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { retryTransaction } from '../../platform/store/repeat.js';
import { toStorable, toStorableJson } from '../../platform/store/storable.js';
import { openConversation } from '../contacts/contact-store.js';
import { findHolders, holdContact } from '../contacts/identity/identity-store.js';
import { findInbound, insertPastInbound } from './inbound-store.js';

/**
 * Unlike a message, an action opens no window, is never unread, does not move the conversation up, and creates no
 * contact. Returns whether the person is a contact of the channel.
 */
export async function recordAction(
  { pool, clock }: { pool: pg.Pool; clock: Clock },
  { channel, type, payload, at, carrierMessageId: reportedId, ...ids }: ActionReport,
): Promise<boolean> {
  const { id: channelId, accountId } = channel;
  const carrierMessageId = toStorableId(reportedId);
  const now = clock.now();
  const receivedAt = at < now ? at : now;
  return await retryTransaction(() =>
    inTransaction(pool, async (client) => {
      if (await findInbound(client, channelId, carrierMessageId)) return true;
      const holders = await findHolders(client, { accountId, channelId }, [ids]);
      // A match by user ID is preferred, because a parent user ID or a reassigned number may match several contacts.
      const holder = holders.find(({ userIds }) => ids.userId !== null && userIds.includes(ids.userId)) ?? holders[0];
      if (!holder || !(await holdContact(client, holder.id))) return false;
      const conversationId = await openConversation(client, holder.id, now);
      if (conversationId === null) return false;
      const id = deriveId(receivedAt, `${channelId} ${carrierMessageId}`);
      const content = { carrierMessageId, type, body: '', payload: toStorableJson(payload) };
      const location = { id, accountId, channelId, conversationId, from: toStorable(toAddress(ids) ?? '') };
      await insertPastInbound(client, { ...location, ...content, receivedAt, createdAt: receivedAt });
      return true;
    }),
  );
}
