import type pg from 'pg';
import { moveConversation } from '../../../messages/rows/party-store.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/** A send touches the conversation once its message is committed: it did so by now, or finds the conversation gone. */
const LOCK: PlannedStatement = {
  text: `SELECT id, contact_id AS "contactId" FROM conversations WHERE contact_id = ANY($1::uuid[]) ORDER BY id FOR UPDATE`,
};

const HAND_OVER: PlannedStatement = { text: 'UPDATE conversations SET contact_id = $2 WHERE id = $1' };

const MOVE_INBOUND: PlannedStatement = {
  text: 'UPDATE inbound_messages SET conversation_id = $2 WHERE conversation_id = $1',
};

/** In the order of time: what had led to the one leads to the other before it is deleted. */
const FORWARD: PlannedStatement = {
  text: `WITH before AS (UPDATE merged_conversations SET conversation_id = $2 WHERE conversation_id = $1)
         INSERT INTO merged_conversations (id, conversation_id) VALUES ($1, $2)`,
};

/** The window stays open for as long as one of the two had it open. */
const JOIN: PlannedStatement = {
  text: `WITH gone AS (DELETE FROM conversations WHERE id = $1 RETURNING *)
         UPDATE conversations v SET last_inbound_at = greatest(v.last_inbound_at, gone.last_inbound_at),
           last_message_at = greatest(v.last_message_at, gone.last_message_at),
           unread_count = v.unread_count + gone.unread_count, created_at = least(v.created_at, gone.created_at)
         FROM gone WHERE v.id = $2`,
};

/**
 * Makes the conversation of a contact part of another's, with all messages of either direction. The caller's transaction has
 * locked both contacts.
 */
export async function joinConversations(client: pg.PoolClient, from: string, to: string): Promise<void> {
  const { rows } = await client.query<{ id: string; contactId: string }>({ ...LOCK, values: [[from, to]] });
  const gone = rows.find(({ contactId }) => contactId === from);
  if (!gone) return;
  const kept = rows.find(({ contactId }) => contactId === to);
  if (!kept) await client.query({ ...HAND_OVER, values: [gone.id, to] });
  await moveConversation(client, gone.id, { contactId: to, conversationId: kept?.id ?? gone.id });
  if (!kept) return;
  await client.query({ ...MOVE_INBOUND, values: [gone.id, kept.id] });
  await client.query({ ...FORWARD, values: [gone.id, kept.id] });
  await client.query({ ...JOIN, values: [gone.id, kept.id] });
}
