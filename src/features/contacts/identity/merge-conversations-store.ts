import type pg from 'pg';
import { moveConversationMessages } from '../../../messages/stored-messages/contact-links-store.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/** Waits for sends that are updating their conversation. Later sends find that the conversation was merged. */
const LOCK: PlannedStatement = {
  text: `SELECT id, contact_id AS "contactId" FROM conversations WHERE contact_id = ANY($1::uuid[]) ORDER BY id FOR UPDATE`,
};

const CHANGE_CONTACT: PlannedStatement = { text: 'UPDATE conversations SET contact_id = $2 WHERE id = $1' };

const MOVE_INBOUND: PlannedStatement = {
  text: 'UPDATE inbound_messages SET conversation_id = $2 WHERE conversation_id = $1',
};

/** Also updates earlier redirects to the merged conversation before that conversation is deleted. */
const REDIRECT: PlannedStatement = {
  text: `WITH before AS (UPDATE merged_conversations SET conversation_id = $2 WHERE conversation_id = $1)
         INSERT INTO merged_conversations (id, conversation_id) VALUES ($1, $2)`,
};

/** After the merge, the 24-hour window is open if it was open in either conversation. */
const MERGE: PlannedStatement = {
  text: `WITH merged AS (DELETE FROM conversations WHERE id = $1 RETURNING *)
         UPDATE conversations v SET last_inbound_at = greatest(v.last_inbound_at, merged.last_inbound_at),
           last_message_at = greatest(v.last_message_at, merged.last_message_at),
           last_outbound_at = greatest(v.last_outbound_at, merged.last_outbound_at),
           unread_count = v.unread_count + merged.unread_count, created_at = least(v.created_at, merged.created_at)
         FROM merged WHERE v.id = $2`,
};

/** The caller must have locked both contacts. */
export async function mergeConversations(client: pg.PoolClient, from: string, to: string): Promise<void> {
  const { rows } = await client.query<{ id: string; contactId: string }>({ ...LOCK, values: [[from, to]] });
  const merged = rows.find(({ contactId }) => contactId === from);
  if (!merged) return;
  const surviving = rows.find(({ contactId }) => contactId === to);
  if (!surviving) await client.query({ ...CHANGE_CONTACT, values: [merged.id, to] });
  await moveConversationMessages(client, merged.id, { contactId: to, conversationId: surviving?.id ?? merged.id });
  if (!surviving) return;
  await client.query({ ...MOVE_INBOUND, values: [merged.id, surviving.id] });
  await client.query({ ...REDIRECT, values: [merged.id, surviving.id] });
  await client.query({ ...MERGE, values: [merged.id, surviving.id] });
}
