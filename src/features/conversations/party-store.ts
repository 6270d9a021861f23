import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/within.js';
import { contactOf, ofPortfolio } from '../contacts/identity/portfolio-sql.js';

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

const FIND_OWNER: Statement = {
  name: 'parties-find-owner',
  text: 'SELECT account_id AS "accountId" FROM channels WHERE id = $1',
};

/** The account of a channel; null when there is no such channel. */
export async function findOwner(pool: pg.Pool, channelId: string): Promise<string | null> {
  const { rows } = await pool.query<{ accountId: string }>({ ...FIND_OWNER, values: [channelId] });
  return rows[0]?.accountId ?? null;
}

const FIND_PARTY: Statement = {
  name: 'parties-find',
  text: `SELECT c.id AS "contactId", v.id AS "conversationId", v.last_inbound_at AS "lastInboundAt"
         FROM contacts c JOIN conversations v ON v.contact_id = c.id AND v.account_id = c.account_id
         WHERE c.id = ${contactOf('$1', '$2', '$3')} AND c.channel_id = $1 AND c.account_id = $3`,
};

const PARTY_COLUMNS = `c.id AS "contactId", v.id AS "conversationId", v.last_inbound_at AS "lastInboundAt", c.phone,
  coalesce(c.phone, c.user_id, c.parent_user_id) AS address`;

/** One that has become part of another is that one. */
const FIND_BY_ID: Statement = {
  name: 'parties-find-by-id',
  text: `SELECT ${PARTY_COLUMNS} FROM contacts c LEFT JOIN conversations v ON v.contact_id = c.id AND v.account_id = c.account_id
         WHERE c.id = coalesce((SELECT contact_id FROM merged_contacts WHERE id = $1), $1) AND c.account_id = $2
           AND ($3::uuid IS NULL OR c.channel_id = $3)`,
};

const FIND_BY_USER_ID: Statement = {
  name: 'parties-find-by-user-id',
  text: `SELECT ${PARTY_COLUMNS} FROM contacts c LEFT JOIN conversations v ON v.contact_id = c.id AND v.account_id = c.account_id
         WHERE c.account_id = $2 AND c.id IN (
           SELECT contact_id FROM contact_identities WHERE channel_id = $3 AND user_id = $1 AND ${ofPortfolio('$3')})`,
};

/** A contact, how it is reached, and when it wrote last. */
export interface ReachedContact {
  contactId: string;
  /** Null while it has none. */
  conversationId: string | null;
  lastInboundAt: Date | null;
  /** Null of one who is known by an id alone. */
  phone: string | null;
  /** Where messages go; null where neither a number nor an id is left. */
  address: string | null;
}

/**
 * A contact by its own id, or by that of WhatsApp.
 * @param scope without a channel: one of the account, by its own id
 */
export async function findReached(
  pool: Connection,
  { accountId, channelId }: { accountId: string; channelId: string | null },
  who: { contactId: string } | { userId: string },
): Promise<ReachedContact | null> {
  const [statement, id] = 'contactId' in who ? [FIND_BY_ID, who.contactId] : [FIND_BY_USER_ID, who.userId];
  const { rows } = await pool.query<ReachedContact>({ ...statement, values: [id, accountId, channelId] });
  return rows[0] ?? null;
}

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

const LOCKED_COLUMNS = 'c.id, c.phone, coalesce(c.phone, c.user_id, c.parent_user_id) AS address, c.name, c.email';

/** Holds off the deletion of a contact until the messages are there to be found by it. */
const LOCK_CONTACTS: Statement = {
  name: 'parties-lock-contacts',
  text: `SELECT ${LOCKED_COLUMNS} FROM contacts c WHERE c.id = ANY($1::uuid[]) AND c.channel_id = $2 AND c.account_id = $3
         ORDER BY c.id FOR KEY SHARE`,
};

/**
 * A statement of its own, for one that waited for the lock does not see what was committed meanwhile. Whom a campaign has
 * sent to as the other contact is passed over.
 */
const LOCK_MERGED: Statement = {
  name: 'parties-lock-merged',
  text: `SELECT ${LOCKED_COLUMNS} FROM contacts c
         WHERE c.id IN (SELECT contact_id FROM merged_contacts WHERE id = ANY($1::uuid[]))
           AND c.channel_id = $2 AND c.account_id = $3 AND NOT c.id = ANY($4::uuid[])
           AND ($5::uuid IS NULL OR NOT EXISTS (
             SELECT FROM conversations v JOIN messages m ON m.conversation_id = v.id
             WHERE v.contact_id = c.id AND m.campaign_id = $5))
         ORDER BY c.id FOR KEY SHARE OF c`,
};

/** A contact to whom something is sent. */
export interface LockedContact {
  id: string;
  /** Digits with country code; null of one who is known by an id alone. */
  phone: string | null;
  /** Where messages go: the number or an id; null where neither is left. */
  address: string | null;
  /** "" while unset, as is the e-mail address. */
  name: string;
  email: string;
}

/**
 * Locks those of the contacts that the channel still has, and in the place of those that have become part of another that
 * one. The account must be locked before (see lockAccounts).
 * @param campaignId of the campaign that sends to them
 */
export async function lockContacts(
  client: pg.PoolClient,
  { accountId, channelId }: Scope,
  contactIds: readonly string[],
  campaignId: string | null = null,
): Promise<LockedContact[]> {
  const values = [contactIds, channelId, accountId];
  const { rows } = await client.query<LockedContact>({ ...LOCK_CONTACTS, values });
  if (rows.length === contactIds.length) return rows;
  const missing = contactIds.filter((id) => !rows.some((row) => row.id === id));
  const found = rows.map(({ id }) => id);
  const merged = await client.query<LockedContact>({
    ...LOCK_MERGED,
    values: [missing, channelId, accountId, found, campaignId],
  });
  return [...rows, ...merged.rows];
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
  text: 'SELECT id, contact_id AS "contactId" FROM conversations WHERE contact_id = ANY($1::uuid[]) AND account_id = $2',
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
    values: [contactIds, accountId],
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
