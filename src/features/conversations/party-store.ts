import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import type { ContactFieldValues } from '../contacts/contact-fields.js';
import { selectFieldColumns } from '../contacts/contact-fields-sql.js';
import type { CustomValues } from '../contacts/custom/field-values.js';
import { contactIdSql, inPortfolioSql } from '../contacts/identity/portfolio-sql.js';

export interface Party {
  contactId: string;
  conversationId: string;
}

export type MaybeParty = { [K in keyof Party]: string | null };

interface Scope {
  accountId: string;
  channelId: string;
}

const FIND_CHANNEL_ACCOUNT: Statement = {
  name: 'parties-find-owner',
  text: 'SELECT account_id AS "accountId" FROM channels WHERE id = $1',
};

export async function findChannelAccount(pool: pg.Pool, channelId: string): Promise<string | null> {
  const { rows } = await pool.query<{ accountId: string }>({ ...FIND_CHANNEL_ACCOUNT, values: [channelId] });
  return rows[0]?.accountId ?? null;
}

const FIND_PARTY: Statement = {
  name: 'parties-find',
  text: `SELECT c.id AS "contactId", v.id AS "conversationId", v.last_inbound_at AS "lastInboundAt"
         FROM contacts c JOIN conversations v ON v.contact_id = c.id AND v.account_id = c.account_id
         WHERE c.id = ${contactIdSql('$1', '$2', '$3')} AND c.channel_id = $1 AND c.account_id = $3`,
};

const PARTY_COLUMNS = `c.id AS "contactId", v.id AS "conversationId", v.last_inbound_at AS "lastInboundAt", c.phone,
  coalesce(c.phone, c.user_id, c.parent_user_id) AS address`;

/** Follows merges. */
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
           SELECT contact_id FROM contact_identities WHERE channel_id = $3 AND user_id = $1 AND ${inPortfolioSql('$3')})`,
};

export interface ReachableContact {
  contactId: string;
  /** The conversation's ID, or null before the first message. */
  conversationId: string | null;
  lastInboundAt: Date | null;
  /** The phone number, or null for a contact known only by user ID. */
  phone: string | null;
  /** The number or user ID to send to, or null if neither is left. */
  address: string | null;
  fields: CustomValues | null;
}

/** @param scope If the channel is null, finds a contact of any channel, but only by contact ID. */
export async function findReachableContact(
  pool: Connection,
  { accountId, channelId }: { accountId: string; channelId: string | null },
  identifier: { contactId: string } | { userId: string },
): Promise<ReachableContact | null> {
  const [statement, id] =
    'contactId' in identifier ? [FIND_BY_ID, identifier.contactId] : [FIND_BY_USER_ID, identifier.userId];
  const { rows } = await pool.query<ReachableContact>({ ...statement, values: [id, accountId, channelId] });
  return rows[0] ?? null;
}

export async function findPartyByPhone(
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

export async function findMessageParty(pool: pg.Pool, messageId: string): Promise<MaybeParty> {
  const { rows } = await pool.query<MaybeParty>({ ...FIND_PARTY_OF_MESSAGE, values: [messageId] });
  return rows[0] ?? { contactId: null, conversationId: null };
}

const LOCKED_COLUMNS = `c.id, c.phone, coalesce(c.phone, c.user_id, c.parent_user_id) AS address, ${selectFieldColumns('c.')}, c.fields`;

/** Keeps contacts from being deleted before the messages that refer to them are committed. */
const LOCK_CONTACTS: Statement = {
  name: 'parties-lock-contacts',
  text: `SELECT ${LOCKED_COLUMNS} FROM contacts c WHERE c.id = ANY($1::uuid[]) AND c.channel_id = $2 AND c.account_id = $3
         ORDER BY c.id FOR KEY SHARE`,
};

/**
 * Runs as a separate statement, because a statement that waited for a lock does not see rows that were committed in the
 * meantime. Skips contacts that already got the campaign's message under another contact ID.
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

export interface LockedContact extends ContactFieldValues {
  id: string;
  /** A number in digits with country code, or null if the contact is known only by user ID. */
  phone: string | null;
  /** The number or user ID to send to, or null if neither is left. */
  address: string | null;
  fields: CustomValues | null;
}

/**
 * Omits deleted contacts, and replaces merged contacts with the surviving ones. The caller must lock the account first
 * (see lockAccounts).
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
  const lockedIds = rows.map(({ id }) => id);
  const merged = await client.query<LockedContact>({
    ...LOCK_MERGED,
    values: [missing, channelId, accountId, lockedIds, campaignId],
  });
  return [...rows, ...merged.rows];
}

const CREATE_CONVERSATIONS: Statement = {
  name: 'parties-make-conversations',
  text: `INSERT INTO conversations (id, account_id, channel_id, contact_id, last_message_at, last_outbound_at, created_at)
         SELECT input.id, $3, $4, input.contact_id, $5, $5, $5 FROM unnest($1::uuid[], $2::uuid[]) AS input(id, contact_id)
         WHERE NOT EXISTS (SELECT FROM conversations WHERE contact_id = input.contact_id)
         ON CONFLICT (contact_id) DO NOTHING`,
};

const FIND_CONVERSATIONS: Statement = {
  name: 'parties-find-conversations',
  text: 'SELECT id, contact_id AS "contactId" FROM conversations WHERE contact_id = ANY($1::uuid[]) AND account_id = $2',
};

/** Returns the conversation IDs by contact ID, for contacts that the caller has locked. */
export async function ensureConversations(
  client: pg.PoolClient,
  { accountId, channelId }: Scope,
  contactIds: readonly string[],
  now: Date,
): Promise<Map<string, string>> {
  const values = [contactIds.map(() => newId()), contactIds, accountId, channelId, now.toISOString()];
  await client.query({ ...CREATE_CONVERSATIONS, values });
  const { rows } = await client.query<{ id: string; contactId: string }>({
    ...FIND_CONVERSATIONS,
    values: [contactIds, accountId],
  });
  return new Map(rows.map((row) => [row.contactId, row.id]));
}

/** Updates the row even if the time does not change, so that the update always waits for a concurrent deletion. */
const TOUCH_ONE: Statement = {
  name: 'parties-touch-one',
  text: `UPDATE conversations SET last_message_at = greatest(last_message_at, $2::timestamptz),
           last_outbound_at = greatest(last_outbound_at, $2::timestamptz)
         WHERE id = $1`,
};

/**
 * Waits for a concurrent deletion of the conversation.
 * @returns Whether the conversation exists
 */
export async function touchConversation(pool: pg.Pool, conversationId: string, messageAt: Date): Promise<boolean> {
  const { rowCount } = await pool.query({ ...TOUCH_ONE, values: [conversationId, messageAt.toISOString()] });
  return rowCount === 1;
}

/**
 * Locks the rows separately, because an update with a locking subquery can deadlock with inserts of inbound messages,
 * which hold FOR KEY SHARE.
 */
const LOCK_ALL: Statement = {
  name: 'parties-lock-several',
  text: 'SELECT id FROM conversations WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
};

const TOUCH_ALL: Statement = {
  name: 'parties-touch-several',
  text: `UPDATE conversations SET last_message_at = greatest(last_message_at, $2::timestamptz), last_outbound_at = $2
         WHERE id = ANY($1::uuid[]) AND (last_outbound_at < $2) IS NOT FALSE`,
};

/** Skips deleted conversations. */
export async function touchConversations(
  client: pg.PoolClient,
  conversationIds: readonly string[],
  messageAt: Date,
): Promise<void> {
  await client.query({ ...LOCK_ALL, values: [conversationIds] });
  await client.query({ ...TOUCH_ALL, values: [conversationIds, messageAt.toISOString()] });
}
