import type pg from 'pg';
import { correctConversations } from '../../../messages/stored-messages/contact-links-store.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { ConversationScope } from '../conversation-store.js';

export interface KnownContact {
  phone: string;
  contactId: string;
  conversationId: string | null;
}

const COLUMNS = 'c.id AS "contactId", v.id AS "conversationId"';
const CONVERSATION = 'LEFT JOIN conversations v ON v.contact_id = c.id AND v.account_id = c.account_id';

/** Main numbers come last, so that they override other contacts' further numbers. */
const FIND: Statement = {
  name: 'known-contacts-find',
  text: `SELECT i.user_id AS phone, ${COLUMNS}
         FROM contact_identities i JOIN contacts c ON c.id = i.contact_id ${CONVERSATION}
         WHERE i.channel_id = $1 AND i.portfolio = '' AND i.user_id = ANY($3::text[]) AND c.account_id = $2
         UNION ALL
         SELECT c.phone, ${COLUMNS} FROM contacts c ${CONVERSATION}
         WHERE c.channel_id = $1 AND c.account_id = $2 AND c.phone = ANY($3::text[])`,
};

export async function findKnownContacts(
  pool: pg.Pool,
  { accountId, channelId }: ConversationScope,
  phones: readonly string[],
): Promise<KnownContact[]> {
  const { rows } = await pool.query<KnownContact>({ ...FIND, values: [channelId, accountId, phones] });
  return rows;
}

/** A conversation that has yet to be created, but to whose ID messages already refer. */
export interface NamedConversation {
  id: string;
  contactId: string;
}

const INSERT: Statement = {
  name: 'known-contacts-open',
  text: `INSERT INTO conversations (id, account_id, channel_id, contact_id, last_message_at, last_outbound_at, created_at)
         SELECT named.id, c.account_id, c.channel_id, c.id, $3, $3, $3
         FROM unnest($1::uuid[], $2::uuid[]) AS named(id, contact_id)
         JOIN (SELECT id, account_id, channel_id FROM contacts WHERE id = ANY($2::uuid[]) ORDER BY id FOR KEY SHARE) c
           ON c.id = named.contact_id
         ON CONFLICT (contact_id) DO NOTHING`,
};

/** Skips contacts that were deleted or already have a conversation. */
export async function createNamedConversations(
  client: pg.PoolClient,
  conversations: readonly NamedConversation[],
  messageIds: readonly string[],
  createdAt: Date,
): Promise<void> {
  const ids = conversations.map(({ id }) => id);
  const contacts = conversations.map(({ contactId }) => contactId);
  const { rowCount } = await client.query({ ...INSERT, values: [ids, contacts, createdAt.toISOString()] });
  // If another send has already created a contact's conversation, the messages are moved to that conversation.
  if (rowCount !== conversations.length) await correctConversations(client, messageIds);
}
