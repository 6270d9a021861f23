import type pg from 'pg';
import { relinkDeletedContacts } from '../../../messages/stored-messages/contact-links-store.js';
import { inTransaction, type PlannedStatement, type Statement } from '../../../platform/store/connections/pool.js';
import { retryTransaction } from '../../../platform/store/repeat.js';
import { runInSteps, type SweepOptions } from '../../../platform/store/sweep.js';
import { createNamedConversations, type NamedConversation } from './known-contacts-store.js';

const RECORD: Statement = {
  name: 'named-conversations-note',
  text: 'INSERT INTO named_conversations (id, contact_id) SELECT * FROM unnest($1::uuid[], $2::uuid[])',
};

/** Records conversations so that maintenance creates them if this process dies. */
export async function recordNamedConversations(
  pool: pg.Pool,
  conversations: readonly NamedConversation[],
): Promise<void> {
  await pool.query({
    ...RECORD,
    values: [conversations.map(({ id }) => id), conversations.map(({ contactId }) => contactId)],
  });
}

const DELETE: Statement = {
  name: 'named-conversations-forget',
  text: 'DELETE FROM named_conversations WHERE id = ANY($1::uuid[])',
};

/** Call this function once the conversations exist, or if no message uses them. */
export async function deleteNamedConversations(
  connection: Pick<pg.ClientBase, 'query'>,
  conversations: readonly NamedConversation[],
): Promise<void> {
  await connection.query({ ...DELETE, values: [conversations.map(({ id }) => id)] });
}

/** Two minutes are more than a request needs to commit after recording a conversation. */
const IS_DUE = "named_at <= now() - interval '2 minutes'";

const DELETE_UNUSED = `
  DELETE FROM named_conversations WHERE id IN (
    SELECT n.id FROM named_conversations n
    WHERE ${IS_DUE} AND NOT EXISTS (SELECT FROM messages m WHERE m.conversation_id = n.id)
    LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const CLAIM_USED: PlannedStatement = {
  text: `SELECT n.id, n.contact_id AS "contactId", m.ids AS "messageIds", m.newest AS at
         FROM (SELECT id, contact_id FROM named_conversations WHERE ${IS_DUE} LIMIT 1 FOR UPDATE SKIP LOCKED) n
         CROSS JOIN LATERAL (SELECT coalesce(array_agg(id), '{}') AS ids, max(created_at) AS newest
                             FROM messages WHERE conversation_id = n.id) m`,
};

interface UsedRow extends NamedConversation {
  messageIds: string[];
  /** Time at which the newest message was accepted, or null if all messages were deleted. */
  at: Date | null;
}

/** Creates conversations that a process failed to create after committing their messages. */
export async function settleNamedConversations(options: SweepOptions): Promise<void> {
  const { pool, isStopped } = options;
  if (await retryTransaction(() => runInSteps(options, { text: DELETE_UNUSED, values: [] }))) return;
  // Each conversation gets its own transaction, because a transaction that has locked messages must not lock another
  // contact.
  for (let hasMore = true; hasMore && !isStopped(); )
    hasMore = await retryTransaction(() => inTransaction(pool, settleNext));
}

async function settleNext(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<UsedRow>({ ...CLAIM_USED });
  const [usedConversation] = rows;
  if (!usedConversation) return false;
  const { at, messageIds, id, contactId } = usedConversation;
  if (at) {
    await createNamedConversations(client, [{ id, contactId }], messageIds, at);
    await relinkDeletedContacts(client, messageIds);
  }
  await deleteNamedConversations(client, rows);
  return true;
}
