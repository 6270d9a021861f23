import type pg from 'pg';
import { storableId } from '../../carriers/carrier-message-id.js';
import type { ActionReport } from '../../carriers/inbound-message.js';
import { addressOf } from '../../carriers/numbers/user-ids.js';
import type { Clock } from '../../platform/clock.js';
import { idOf } from '../../platform/ids.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import { storable, storableJson } from '../../platform/store/storable.js';
import { openConversation } from '../contacts/contact-store.js';
import { findHolders, holdContact } from '../contacts/identity/identity-store.js';
import { findInbound, insertPastInbound } from './inbound-store.js';

/**
 * Shows in the conversation what a person did with a message, at its time and once. It is no message: it opens no window, is not
 * unread, moves no conversation up, and makes nobody a contact.
 * @returns whether the person is a contact of the channel
 */
export async function noteAction(
  { pool, clock }: { pool: pg.Pool; clock: Clock },
  { channel, type, payload, at, carrierMessageId: givenId, ...ids }: ActionReport,
): Promise<boolean> {
  const { id: channelId, accountId } = channel;
  const carrierMessageId = storableId(givenId);
  const now = clock.now();
  const receivedAt = at < now ? at : now;
  return await repeated(() =>
    inTransaction(pool, async (client) => {
      if (await findInbound(client, channelId, carrierMessageId)) return true;
      const holders = await findHolders(client, { accountId, channelId }, [ids]);
      // Where an id of linked portfolios, or a number that has moved on, leads to several, the user id says who it is.
      const holder = holders.find(({ userIds }) => ids.userId !== null && userIds.includes(ids.userId)) ?? holders[0];
      if (!holder || !(await holdContact(client, holder.id))) return false;
      const conversationId = await openConversation(client, holder.id, now);
      if (conversationId === null) return false;
      const id = idOf(receivedAt, `${channelId} ${carrierMessageId}`);
      const said = { carrierMessageId, type, body: '', payload: storableJson(payload) };
      const place = { id, accountId, channelId, conversationId, from: storable(addressOf(ids) ?? '') };
      await insertPastInbound(client, { ...place, ...said, receivedAt, createdAt: receivedAt });
      return true;
    }),
  );
}
