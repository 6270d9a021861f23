import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/pool.js';

/** A contact and the conversation that the channel has with it. */
export interface Party {
  contactId: string;
  conversationId: string;
}

/** Of a message: null where its contact was deleted. */
export type MaybeParty = { [K in keyof Party]: string | null };

/** A channel of an account. */
interface Scope {
  accountId: string;
  channelId: string;
}

const FIND_PARTY: Statement = {
  name: 'parties-find',
  text: `SELECT c.id AS "contactId", v.id AS "conversationId", v.last_inbound_at AS "lastInboundAt"
         FROM contacts c JOIN conversations v ON v.contact_id = c.id
         WHERE c.channel_id = $1 AND c.phone = $2 AND c.account_id = $3`,
};

/** The contact with a number, and when it wrote last; null when the channel has none, or no conversation with it. */
export async function findParty(
  pool: pg.Pool,
  { accountId, channelId }: Scope,
  phone: string,
): Promise<(Party & { lastInboundAt: Date | null }) | null> {
  const values = [channelId, phone, accountId];
  const { rows } = await pool.query<Party & { lastInboundAt: Date | null }>({ ...FIND_PARTY, values });
  return rows[0] ?? null;
}

const FIND_PARTY_OF_MESSAGE: Statement = {
  name: 'parties-find-of-message',
  text: 'SELECT contact_id AS "contactId", conversation_id AS "conversationId" FROM messages WHERE id = $1',
};

/** With whom a message was exchanged. */
export async function findPartyOfMessage(pool: pg.Pool, messageId: string): Promise<MaybeParty> {
  const { rows } = await pool.query<MaybeParty>({ ...FIND_PARTY_OF_MESSAGE, values: [messageId] });
  return rows[0] ?? { contactId: null, conversationId: null };
}

/** Holds off the deletion of a contact until the messages are there to be found by it. */
const LOCK_CONTACTS: Statement = {
  name: 'parties-lock-contacts',
  text: `SELECT id, phone, name, email FROM contacts WHERE id = ANY($1::uuid[]) AND channel_id = $2 AND account_id = $3
         ORDER BY id FOR KEY SHARE`,
};

/** A contact to whom something is sent. */
export interface LockedContact {
  id: string;
  /** Digits with country code. */
  phone: string;
  /** "" while unset, as is the e-mail address. */
  name: string;
  email: string;
}

/** Locks those of the contacts that the channel still has. The account must be locked before (see lockAccount). */
export async function lockContacts(
  client: pg.PoolClient,
  { accountId, channelId }: Scope,
  contactIds: readonly string[],
): Promise<LockedContact[]> {
  const values = [contactIds, channelId, accountId];
  const { rows } = await client.query<LockedContact>({ ...LOCK_CONTACTS, values });
  return rows;
}

const MAKE_CONVERSATIONS: Statement = {
  name: 'parties-make-conversations',
  text: `INSERT INTO conversations (id, account_id, channel_id, contact_id, last_message_at, created_at)
         SELECT made.id, $3, $4, made.contact_id, $5, $5 FROM unnest($1::uuid[], $2::uuid[]) AS made(id, contact_id)
         WHERE NOT EXISTS (SELECT FROM conversations WHERE contact_id = made.contact_id)
         ON CONFLICT (contact_id) DO NOTHING`,
};

const FIND_CONVERSATIONS: Statement = {
  name: 'parties-find-conversations',
  text: 'SELECT id, contact_id AS "contactId" FROM conversations WHERE contact_id = ANY($1::uuid[])',
};

/**
 * The conversations of contacts that the caller's transaction has locked; those that lack are made.
 * @returns ids of conversations by contact
 */
export async function ensureConversations(
  client: pg.PoolClient,
  { accountId, channelId }: Scope,
  contactIds: readonly string[],
  now: Date,
): Promise<Map<string, string>> {
  const values = [contactIds.map(() => newId()), contactIds, accountId, channelId, now.toISOString()];
  await client.query({ ...MAKE_CONVERSATIONS, values });
  const { rows } = await client.query<{ id: string; contactId: string }>({
    ...FIND_CONVERSATIONS,
    values: [contactIds],
  });
  return new Map(rows.map((row) => [row.contactId, row.id]));
}

/** Writes the row even where it does not move it, so that it waits for a deletion in any case. */
const TOUCH_ONE: Statement = {
  name: 'parties-touch-one',
  text: 'UPDATE conversations SET last_message_at = greatest(last_message_at, $2::timestamptz) WHERE id = $1',
};

/**
 * Moves a conversation to the top of the list: a message of either direction was sent or received at the moment. It waits
 * while the conversation is being deleted.
 * @returns whether it is there
 */
export async function touchConversation(pool: pg.Pool, conversationId: string, at: Date): Promise<boolean> {
  const { rowCount } = await pool.query({ ...TOUCH_ONE, values: [conversationId, at.toISOString()] });
  return rowCount === 1;
}

/**
 * A statement of its own. One that locks rows in a subquery and updates them as well deadlocks with itself where others
 * hold FOR KEY SHARE, as each insert of an inbound message does: who waits for the version of a row that was locked first
 * holds up the update of the one who has locked the next version.
 */
const LOCK_SEVERAL: Statement = {
  name: 'parties-lock-several',
  text: 'SELECT id FROM conversations WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
};

const TOUCH_SEVERAL: Statement = {
  name: 'parties-touch-several',
  text: `UPDATE conversations SET last_message_at = $2
         WHERE id = ANY($1::uuid[]) AND last_message_at < $2`,
};

/** Moves conversations to the top of the list, in the caller's transaction; those that are gone are passed over. */
export async function touchConversations(
  client: pg.PoolClient,
  conversationIds: readonly string[],
  at: Date,
): Promise<void> {
  await client.query({ ...LOCK_SEVERAL, values: [conversationIds] });
  await client.query({ ...TOUCH_SEVERAL, values: [conversationIds, at.toISOString()] });
}
