import type pg from 'pg';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';
import { retryTransaction } from '../../platform/store/repeat.js';
import { runInSteps, type SweepOptions } from '../../platform/store/sweep.js';

const UNLINK_CONTACT: PlannedStatement = {
  text: `
WITH linked AS MATERIALIZED (
  SELECT m.id FROM messages m JOIN conversations v ON v.id = m.conversation_id
  WHERE v.contact_id = $1 ORDER BY m.id FOR NO KEY UPDATE OF m
), recorded AS (
  INSERT INTO parted_conversations (id) SELECT id FROM conversations WHERE contact_id = $1
  ON CONFLICT (id) DO UPDATE SET parted_at = now()
)
UPDATE messages m SET contact_id = NULL, conversation_id = NULL FROM linked WHERE m.id = linked.id`,
};

/** The caller's transaction must have locked the conversation. */
export async function unlinkContact(client: pg.PoolClient, contactId: string): Promise<void> {
  await client.query({ ...UNLINK_CONTACT, values: [contactId] });
}

const CURRENT_LINKS = `
  contact_id = (SELECT k.contact_id FROM merged_contacts k WHERE k.id = m.contact_id),
  conversation_id = (SELECT v.id FROM merged_contacts k JOIN conversations v ON v.contact_id = k.contact_id
                     WHERE k.id = m.contact_id)`;

/** A contact may be deleted or merged between its lookup and the commit of a message. */
const RELINK_DELETED: Statement = {
  name: 'parties-leave-deleted',
  text: `UPDATE messages m SET ${CURRENT_LINKS}
         WHERE m.id = ANY($1::uuid[]) AND NOT EXISTS (SELECT FROM contacts c WHERE c.id = m.contact_id)`,
};

/** Moves messages of a merged contact to the remaining contact, and unlinks messages of a deleted contact. */
export async function relinkDeletedContacts(
  connection: Pick<pg.ClientBase, 'query'>,
  messageIds: readonly string[],
): Promise<void> {
  await connection.query({ ...RELINK_DELETED, values: [messageIds] });
}

/** Two minutes is longer than any request takes from its contact lookup to its commit. */
const RELINK_PARTED = `
WITH due AS (
  DELETE FROM parted_conversations WHERE id IN (
    SELECT id FROM parted_conversations WHERE parted_at <= now() - interval '2 minutes' LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING id
), moved AS (
  UPDATE messages m SET ${CURRENT_LINKS}
  FROM due WHERE m.conversation_id = due.id AND NOT EXISTS (SELECT FROM contacts c WHERE c.id = m.contact_id)
)
SELECT id FROM due`;

/** Repairs messages whose process was killed between committing the message and checking the message's contact. */
export async function relinkPartedConversations(options: SweepOptions): Promise<void> {
  await retryTransaction(() => runInSteps(options, { text: RELINK_PARTED, values: [] }));
}

const MOVE_CONVERSATION: PlannedStatement = {
  text: `
WITH linked AS MATERIALIZED (SELECT id FROM messages WHERE conversation_id = $1 ORDER BY id FOR NO KEY UPDATE),
recorded AS (INSERT INTO parted_conversations (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET parted_at = now())
UPDATE messages m SET contact_id = $2, conversation_id = $3 FROM linked WHERE m.id = linked.id`,
};

/** The caller's transaction must have locked the conversation. */
export async function moveConversationMessages(
  client: pg.PoolClient,
  from: string,
  to: { contactId: string; conversationId: string },
): Promise<void> {
  await client.query({ ...MOVE_CONVERSATION, values: [from, to.contactId, to.conversationId] });
}

const CORRECT_CONVERSATIONS: Statement = {
  name: 'known-contacts-move',
  text: `UPDATE messages m SET conversation_id = v.id FROM conversations v
         WHERE m.id = ANY($1::uuid[]) AND v.contact_id = m.contact_id AND v.id <> m.conversation_id`,
};

export async function correctConversations(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query({ ...CORRECT_CONVERSATIONS, values: [messageIds] });
}
