import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import { toContactName } from './fields.js';
import { CONTACT_COLUMNS, type ContactRow, emitContactUpdated } from './record.js';
import { within } from './transaction.js';

/** Whom a channel talks with, by number. */
export interface ContactByPhone {
  accountId: string;
  channelId: string;
  /** Digits with country code, checked by the caller. */
  phone: string;
  /** For a new contact, and for one that has no name yet; made to fit where it is too long or has control characters. */
  name?: string;
  /** When it happens; now unless told. */
  at?: Date;
}

export interface FoundContact {
  contactId: string;
  conversationId: string;
  /** Whether the contact is new. */
  created: boolean;
}

export interface FindOptions {
  /** Keeps the contact from being deleted until the caller's transaction ends. */
  lock?: boolean;
}

/** Another process may delete the contact between two statements, over and over; nobody does it as often as this. */
const MOST_TRIES = 10;

/**
 * The contact of a channel with this number and its one conversation; each is made when it is not there. However many
 * ask at once, there is one of each. A new contact, or a name for one that had none, is a `contact.updated`.
 * @param connection a pool, or the client of the caller's transaction: there, a new contact holds the lock on its
 * channel's count until the end, so let nothing slow follow
 */
export async function findOrCreateContact(
  connection: pg.Pool | pg.PoolClient,
  asked: ContactByPhone,
  options: FindOptions = {},
): Promise<FoundContact> {
  const contact = { ...asked, name: toContactName(asked.name ?? '') };
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const known = await find(connection, contact, options);
    if (known?.conversationId && (known.name !== '' || contact.name === '')) {
      return { contactId: known.id, conversationId: known.conversationId, created: false };
    }
    const found = await within(connection, (client) =>
      known ? complete(client, known.id, contact) : create(client, contact),
    );
    if (found) return found;
  }
  throw new Error('a contact was deleted again and again while it was looked for');
}

interface KnownContact {
  id: string;
  name: string;
  conversationId: string | null;
}

async function find(
  connection: pg.Pool | pg.PoolClient,
  { accountId, channelId, phone }: ContactByPhone,
  { lock = false }: FindOptions,
): Promise<KnownContact | undefined> {
  const { rows } = await connection.query<KnownContact>({
    name: lock ? 'contacts-find-and-lock' : 'contacts-find',
    text: `
SELECT c.id, c.name, v.id AS "conversationId"
FROM contacts c LEFT JOIN conversations v ON v.contact_id = c.id
WHERE c.channel_id = $1 AND c.phone = $2 AND c.account_id = $3 ${lock ? 'FOR KEY SHARE OF c' : ''}`,
    values: [channelId, phone, accountId],
  });
  return rows[0];
}

/** Null when somebody else made the contact meanwhile. */
async function create(client: pg.PoolClient, contact: ContactByPhone): Promise<FoundContact | null> {
  const { accountId, channelId, phone, name = '', at = new Date() } = contact;
  const made = await insertContact(client, { accountId, channelId, phone, name, email: '', at });
  if (!made) return null;
  const conversationId = await openConversation(client, made.id, at);
  await emitContactUpdated(client, contact, made, 'created');
  await countContacts(client, channelId, 1);
  return conversationId ? { contactId: made.id, conversationId, created: true } : null;
}

/** Null when the contact is gone. */
async function complete(client: pg.PoolClient, id: string, contact: ContactByPhone): Promise<FoundContact | null> {
  const { name = '', at = new Date() } = contact;
  if (name !== '') {
    const { rows } = await client.query<ContactRow>({
      name: 'contacts-complete',
      text: `UPDATE contacts SET name = $2, updated_at = $3 WHERE id = $1 AND name = '' RETURNING ${CONTACT_COLUMNS}`,
      values: [id, name, at],
    });
    if (rows[0]) await emitContactUpdated(client, contact, rows[0], 'updated');
  }
  const conversationId = await openConversation(client, id, at);
  return conversationId ? { contactId: id, conversationId, created: false } : null;
}

/** The id of a contact's conversation, made when there is none; null when the contact is gone. */
async function openConversation(client: pg.PoolClient, contactId: string, at: Date): Promise<string | null> {
  await client.query({
    name: 'contacts-open-conversation',
    text: `
INSERT INTO conversations (id, account_id, channel_id, contact_id, last_message_at, created_at)
SELECT $1, c.account_id, c.channel_id, c.id, $3, $3
FROM (SELECT id, account_id, channel_id FROM contacts WHERE id = $2 FOR KEY SHARE) c
ON CONFLICT (contact_id) DO NOTHING`,
    values: [newId(), contactId, at],
  });
  // A statement of its own, for the row of a transaction that was waited for is only visible to the next one.
  const { rows } = await client.query<{ id: string }>({
    name: 'contacts-find-conversation',
    text: 'SELECT id FROM conversations WHERE contact_id = $1',
    values: [contactId],
  });
  return rows[0]?.id ?? null;
}

/** A new row of `contacts`; `at` is when it is made. */
export interface NewContact {
  accountId: string;
  channelId: string;
  phone: string;
  name: string;
  email: string;
  at: Date;
}

/** Inserts a contact; null when the channel has one with this number. The caller keeps the channel's count. */
export async function insertContact(client: pg.PoolClient, contact: NewContact): Promise<ContactRow | null> {
  const { accountId, channelId, phone, name, email, at } = contact;
  const { rows } = await client.query<ContactRow>({
    name: 'contacts-insert',
    text: `
INSERT INTO contacts (id, account_id, channel_id, phone, name, email, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
ON CONFLICT (channel_id, phone) DO NOTHING RETURNING ${CONTACT_COLUMNS}`,
    values: [newId(), accountId, channelId, phone, name, email, at],
  });
  return rows[0] ?? null;
}

/** Keeps the count of a channel's contacts. Call it last in a transaction: the row is shared by all its contacts. */
export async function countContacts(client: pg.PoolClient, channelId: string, change: number): Promise<void> {
  await client.query({
    name: 'contacts-count',
    text: 'UPDATE channels SET contact_count = contact_count + $2 WHERE id = $1',
    values: [channelId, change],
  });
}
