import type pg from 'pg';
import type { PlannedStatement, Statement } from '../../platform/store/pool.js';

const LEAVE_CONTACT: PlannedStatement = {
  text: `
WITH own AS MATERIALIZED (
  SELECT m.id FROM messages m JOIN conversations v ON v.id = m.conversation_id
  WHERE v.contact_id = $1 ORDER BY m.id FOR NO KEY UPDATE OF m
)
UPDATE messages m SET contact_id = NULL, conversation_id = NULL FROM own WHERE m.id = own.id`,
};

/** Takes a contact off the messages of its conversation, which the caller's transaction has locked. */
export async function leaveContact(client: pg.PoolClient, contactId: string): Promise<void> {
  await client.query({ ...LEAVE_CONTACT, values: [contactId] });
}

/**
 * A contact may be deleted, or turn out to be another one, between the look for it and the commit; its messages stay, without
 * it or with the other one.
 */
const LEAVE_DELETED: Statement = {
  name: 'parties-leave-deleted',
  text: `UPDATE messages m SET
           contact_id = (SELECT k.contact_id FROM merged_contacts k WHERE k.id = m.contact_id),
           conversation_id = (SELECT v.id FROM merged_contacts k JOIN conversations v ON v.contact_id = k.contact_id
                              WHERE k.id = m.contact_id)
         WHERE m.id = ANY($1::uuid[]) AND NOT EXISTS (SELECT FROM contacts c WHERE c.id = m.contact_id)`,
};

/** Takes deleted contacts off messages, and puts those in their place that they are part of now. */
export async function leaveDeletedContacts(pool: pg.Pool, messageIds: readonly string[]): Promise<void> {
  await pool.query({ ...LEAVE_DELETED, values: [messageIds] });
}

const MOVE_CONVERSATION: PlannedStatement = {
  text: `
WITH own AS MATERIALIZED (SELECT id FROM messages WHERE conversation_id = $1 ORDER BY id FOR NO KEY UPDATE)
UPDATE messages m SET contact_id = $2, conversation_id = $3 FROM own WHERE m.id = own.id`,
};

/** Moves the messages of a conversation, which the caller's transaction has locked, to a contact and its conversation. */
export async function moveConversation(
  client: pg.PoolClient,
  from: string,
  to: { contactId: string; conversationId: string },
): Promise<void> {
  await client.query({ ...MOVE_CONVERSATION, values: [from, to.contactId, to.conversationId] });
}

const MOVE: Statement = {
  name: 'known-contacts-move',
  text: `UPDATE messages m SET conversation_id = v.id FROM conversations v
         WHERE m.id = ANY($1::uuid[]) AND v.contact_id = m.contact_id AND v.id <> m.conversation_id`,
};

/** Moves messages to the conversations that their contacts have, where they name others. */
export async function moveToConversations(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query({ ...MOVE, values: [messageIds] });
}
