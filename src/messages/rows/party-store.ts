import type pg from 'pg';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import { inSteps, type SweepOptions } from '../../platform/store/sweep.js';

const LEAVE_CONTACT: PlannedStatement = {
  text: `
WITH own AS MATERIALIZED (
  SELECT m.id FROM messages m JOIN conversations v ON v.id = m.conversation_id
  WHERE v.contact_id = $1 ORDER BY m.id FOR NO KEY UPDATE OF m
), noted AS (
  INSERT INTO parted_conversations (id) SELECT id FROM conversations WHERE contact_id = $1
  ON CONFLICT (id) DO UPDATE SET parted_at = now()
)
UPDATE messages m SET contact_id = NULL, conversation_id = NULL FROM own WHERE m.id = own.id`,
};

/** Takes a contact off the messages of its conversation, which the caller's transaction has locked. */
export async function leaveContact(client: pg.PoolClient, contactId: string): Promise<void> {
  await client.query({ ...LEAVE_CONTACT, values: [contactId] });
}

/** Where a message belongs whose contact is no more. */
const WHERE_IT_WENT = `
  contact_id = (SELECT k.contact_id FROM merged_contacts k WHERE k.id = m.contact_id),
  conversation_id = (SELECT v.id FROM merged_contacts k JOIN conversations v ON v.contact_id = k.contact_id
                     WHERE k.id = m.contact_id)`;

/**
 * A contact may be deleted, or turn out to be another one, between the look for it and the commit; its messages stay, without
 * it or with the other one.
 */
const LEAVE_DELETED: Statement = {
  name: 'parties-leave-deleted',
  text: `UPDATE messages m SET ${WHERE_IT_WENT}
         WHERE m.id = ANY($1::uuid[]) AND NOT EXISTS (SELECT FROM contacts c WHERE c.id = m.contact_id)`,
};

/** Takes deleted contacts off messages, and puts those in their place that they are part of now. */
export async function leaveDeletedContacts(
  connection: Pick<pg.ClientBase, 'query'>,
  messageIds: readonly string[],
): Promise<void> {
  await connection.query({ ...LEAVE_DELETED, values: [messageIds] });
}

/** Two minutes are more than a request has between its look for a contact and its commit. */
const SETTLE_PARTED = `
WITH due AS (
  DELETE FROM parted_conversations WHERE id IN (
    SELECT id FROM parted_conversations WHERE parted_at <= now() - interval '2 minutes' LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING id
), moved AS (
  UPDATE messages m SET ${WHERE_IT_WENT}
  FROM due WHERE m.conversation_id = due.id AND NOT EXISTS (SELECT FROM contacts c WHERE c.id = m.contact_id)
)
SELECT id FROM due`;

/**
 * Does what `leaveDeletedContacts` does for messages of conversations that parted from their contact some minutes ago: of a
 * process that was killed between the commit of a message and the look whether its contact is still there.
 */
export async function settleParted(options: SweepOptions): Promise<void> {
  await repeated(() => inSteps(options, { text: SETTLE_PARTED, values: [] }));
}

const MOVE_CONVERSATION: PlannedStatement = {
  text: `
WITH own AS MATERIALIZED (SELECT id FROM messages WHERE conversation_id = $1 ORDER BY id FOR NO KEY UPDATE),
noted AS (INSERT INTO parted_conversations (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET parted_at = now())
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
