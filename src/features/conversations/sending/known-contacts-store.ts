import type pg from 'pg';
import { moveToConversations } from '../../../messages/rows/party-store.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { ConversationScope } from '../conversation-store.js';

/** A contact of a channel by its number. */
export interface KnownContact {
  phone: string;
  contactId: string;
  /** Null while it has none. */
  conversationId: string | null;
}

const COLUMNS = 'c.id AS "contactId", v.id AS "conversationId"';
const CONVERSATION = 'LEFT JOIN conversations v ON v.contact_id = c.id AND v.account_id = c.account_id';

/** One that a contact has counts, and comes last, before one that is a further number of another's. */
const FIND: Statement = {
  name: 'known-contacts-find',
  text: `SELECT i.user_id AS phone, ${COLUMNS}
         FROM contact_identities i JOIN contacts c ON c.id = i.contact_id ${CONVERSATION}
         WHERE i.channel_id = $1 AND i.portfolio = '' AND i.user_id = ANY($3::text[]) AND c.account_id = $2
         UNION ALL
         SELECT c.phone, ${COLUMNS} FROM contacts c ${CONVERSATION}
         WHERE c.channel_id = $1 AND c.account_id = $2 AND c.phone = ANY($3::text[])`,
};

/** Those of some numbers that are contacts of a channel. */
export async function findKnownContacts(
  pool: pg.Pool,
  { accountId, channelId }: ConversationScope,
  phones: readonly string[],
): Promise<KnownContact[]> {
  const { rows } = await pool.query<KnownContact>({ ...FIND, values: [channelId, accountId, phones] });
  return rows;
}

/** A conversation that messages name already, and that is to be made for a contact that had none. */
export interface NamedConversation {
  id: string;
  contactId: string;
}

const OPEN: Statement = {
  name: 'known-contacts-open',
  text: `INSERT INTO conversations (id, account_id, channel_id, contact_id, last_message_at, created_at)
         SELECT named.id, c.account_id, c.channel_id, c.id, $3, $3
         FROM unnest($1::uuid[], $2::uuid[]) AS named(id, contact_id)
         JOIN (SELECT id, account_id, channel_id FROM contacts WHERE id = ANY($2::uuid[]) ORDER BY id FOR KEY SHARE) c
           ON c.id = named.contact_id
         ON CONFLICT (contact_id) DO NOTHING`,
};

/** Makes conversations under the ids that messages name, unless the contacts have got one since or are gone. */
export async function openNamed(
  client: pg.PoolClient,
  named: readonly NamedConversation[],
  messageIds: readonly string[],
  at: Date,
): Promise<void> {
  const ids = named.map(({ id }) => id);
  const contacts = named.map(({ contactId }) => contactId);
  const { rowCount } = await client.query({ ...OPEN, values: [ids, contacts, at.toISOString()] });
  // Where another send has made a contact's conversation in the meantime, messages move to that one.
  if (rowCount !== named.length) await moveToConversations(client, messageIds);
}
