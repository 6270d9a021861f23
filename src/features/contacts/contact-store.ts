import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { type ContactFieldValues, toFieldValues, type WrittenFields } from './contact-fields.js';
import { forEachField, listFieldColumns, listFieldParameters } from './contact-fields-sql.js';
import { type StoredMarks, toMarkColumns } from './custom/prepare.js';
import { contactIdSql } from './identity/portfolio-sql.js';
import { followContactMerges } from './identity/survivor-store.js';
import { CONTACT_COLUMNS, type ContactRow } from './record.js';

export interface ContactKey {
  accountId: string;
  channelId: string;
  id: string;
}

export interface KnownContact {
  id: string;
  name: string;
  /** The contact's main number, which may differ from the searched number of the same WhatsApp account. */
  phone: string | null;
  userId: string | null;
  parentUserId: string | null;
  username: string | null;
  conversationId: string | null;
}

const FIND_TEXT = `
SELECT c.id, c.name, c.phone, c.user_id AS "userId", c.parent_user_id AS "parentUserId", c.username, v.id AS "conversationId"
FROM contacts c LEFT JOIN conversations v ON v.contact_id = c.id AND v.account_id = c.account_id
WHERE c.id = ${contactIdSql('$1', '$2', '$3')} AND c.channel_id = $1 AND c.account_id = $3`;

const FIND: Statement = { name: 'contacts-find', text: FIND_TEXT };
const FIND_AND_LOCK: Statement = { name: 'contacts-find-and-lock', text: `${FIND_TEXT} FOR KEY SHARE OF c` };

/** @param lock prevents deletion of the contact until the caller's transaction ends */
export async function findContact(
  connection: pg.Pool | pg.PoolClient,
  { accountId, channelId, phone }: { accountId: string; channelId: string; phone: string },
  lock: boolean,
): Promise<KnownContact | undefined> {
  const values = [channelId, phone, accountId];
  const { rows } = await connection.query<KnownContact>({ ...(lock ? FIND_AND_LOCK : FIND), values });
  return rows[0];
}

export interface NewContact extends Partial<WrittenFields>, Partial<StoredMarks> {
  accountId: string;
  channelId: string;
  phone: string | null;
  /** Null if unknown. */
  phoneAt?: Date | null;
  userId?: string | null;
  userIdAt?: Date | null;
  parentUserId?: string | null;
  username?: string | null;
  at: Date;
}

const INSERT: Statement = {
  name: 'contacts-insert',
  text: `
INSERT INTO contacts (id, account_id, channel_id, phone, created_at, updated_at, phone_at, user_id, user_id_at,
  parent_user_id, username, tags, fields, ${listFieldColumns()})
SELECT $1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11::text[], $12::jsonb, ${listFieldParameters(13)}
WHERE NOT EXISTS (
  SELECT FROM contact_identities i JOIN contacts c ON c.id = i.contact_id
  WHERE i.channel_id = $3 AND i.portfolio = '' AND i.user_id = $4 AND c.phone IS NOT NULL)
ON CONFLICT (channel_id, phone) DO NOTHING RETURNING ${CONTACT_COLUMNS}`,
};

/**
 * Returns null if a contact of the channel already has the number. The caller must update the channel's contact count.
 */
export async function insertContact(client: pg.PoolClient, contact: NewContact): Promise<ContactRow | null> {
  const { accountId, channelId, phone, at } = contact;
  const { phoneAt = null, userId = null, userIdAt = null, parentUserId = null, username = null } = contact;
  const ids = [phoneAt, userId, userIdAt, parentUserId, username];
  const fields = Object.values(toFieldValues(contact));
  const values = [newId(), accountId, channelId, phone, at, ...ids, ...toMarkColumns(contact), ...fields];
  const { rows } = await client.query<ContactRow>({ ...INSERT, values });
  return rows[0] ?? null;
}

const SET_NAME: Statement = {
  name: 'contacts-complete',
  text: `UPDATE contacts SET name = $2, updated_at = $3 WHERE id = $1 AND name = '' RETURNING ${CONTACT_COLUMNS}`,
};

export async function nameContact(
  client: pg.PoolClient,
  id: string,
  { name, at }: { name: string; at: Date },
): Promise<ContactRow | null> {
  const { rows } = await client.query<ContactRow>({ ...SET_NAME, values: [id, name, at] });
  return rows[0] ?? null;
}

const OPEN_CONVERSATION: Statement = {
  name: 'contacts-open-conversation',
  text: `
INSERT INTO conversations (id, account_id, channel_id, contact_id, last_message_at, created_at)
SELECT $1, c.account_id, c.channel_id, c.id, $3, $3
FROM (SELECT id, account_id, channel_id FROM contacts WHERE id = $2 FOR KEY SHARE) c
ON CONFLICT (contact_id) DO NOTHING`,
};

/**
 * Runs as a separate statement, because an insert that waited for another transaction cannot see the row which that
 * transaction committed.
 */
const FIND_CONVERSATION: Statement = {
  name: 'contacts-find-conversation',
  text: 'SELECT id FROM conversations WHERE contact_id = $1',
};

export async function openConversation(client: pg.PoolClient, contactId: string, at: Date): Promise<string | null> {
  await client.query({ ...OPEN_CONVERSATION, values: [newId(), contactId, at] });
  const { rows } = await client.query<{ id: string }>({ ...FIND_CONVERSATION, values: [contactId] });
  return rows[0]?.id ?? null;
}

const LOCK: Statement = {
  name: 'contacts-read-and-lock',
  text: `SELECT ${CONTACT_COLUMNS} FROM contacts
         WHERE id = $1 AND channel_id = $2 AND account_id = $3 FOR NO KEY UPDATE`,
};

/** Follows merges. */
export async function lockContact(
  client: pg.PoolClient,
  { accountId, channelId, id }: ContactKey,
): Promise<ContactRow | null> {
  return await followContactMerges(client, id, async (currentId) => {
    const { rows } = await client.query<ContactRow>({ ...LOCK, values: [currentId, channelId, accountId] });
    return rows[0] ?? null;
  });
}

const UPDATE: Statement = {
  name: 'contacts-update',
  text: `UPDATE contacts SET ${forEachField((name, index) => `${name} = $${index + 5}`)}, updated_at = $2,
           tags = $3::text[], fields = $4::jsonb
         WHERE id = $1 RETURNING ${CONTACT_COLUMNS}`,
};

export async function updateContactFields(
  client: pg.PoolClient,
  id: string,
  { values, marks }: { values: ContactFieldValues; marks: StoredMarks },
  at: Date,
): Promise<ContactRow> {
  const parameters = [id, at, ...toMarkColumns(marks), ...Object.values(values)];
  const { rows } = await client.query<ContactRow>({ ...UPDATE, values: parameters });
  return rows[0] as ContactRow;
}

const CHANGE_COUNT: Statement = {
  name: 'contacts-count',
  text: 'UPDATE channels SET contact_count = contact_count + $2 WHERE id = $1',
};

/** Call this function last in a transaction, because all changes of contacts lock the channel's row. */
export async function changeContactCount(client: pg.PoolClient, channelId: string, change: number): Promise<void> {
  await client.query({ ...CHANGE_COUNT, values: [channelId, change] });
}
