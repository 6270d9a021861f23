import type pg from 'pg';
import { AppError } from '../../platform/errors.js';
import { countContacts, insertContact, type NewContact } from './contacts.js';
import { CONTACT_COLUMNS, type ContactRow, emitContactUpdated } from './record.js';
import { within } from './transaction.js';

/** A contact that a channel may have. */
export interface ContactKey {
  accountId: string;
  channelId: string;
  id: string;
}

/** What an update sets; what is undefined stays as it is. */
export interface ContactChange {
  name?: string;
  email?: string;
  at: Date;
}

/**
 * Makes a contact and tells the channel's webhooks.
 * @param contact its fields as isPhoneNumber, isContactName and isContactEmail allow them
 * @throws {AppError} CONFLICT when the channel has a contact with this number
 */
export async function createContact(pool: pg.Pool, contact: NewContact): Promise<ContactRow> {
  return await within(pool, async (client) => {
    const made = await insertContact(client, contact);
    if (!made) throw new AppError('CONFLICT', 'The channel has a contact with this phone already.');
    await emitContactUpdated(client, contact, made, 'created');
    await countContacts(client, contact.channelId, 1);
    return made;
  });
}

/** Null when the channel has no such contact. */
export async function readContact(
  connection: pg.Pool | pg.PoolClient,
  { accountId, channelId, id }: ContactKey,
  lock = false,
): Promise<ContactRow | null> {
  const { rows } = await connection.query<ContactRow>({
    name: lock ? 'contacts-read-and-lock' : 'contacts-read',
    text: `SELECT ${CONTACT_COLUMNS} FROM contacts
WHERE id = $1 AND channel_id = $2 AND account_id = $3 ${lock ? 'FOR NO KEY UPDATE' : ''}`,
    values: [id, channelId, accountId],
  });
  return rows[0] ?? null;
}

/**
 * Changes the given fields, and tells the channel's webhooks if any is another than before.
 * @returns the contact as it is now; null when the channel has no such contact
 */
export async function updateContact(pool: pg.Pool, key: ContactKey, change: ContactChange): Promise<ContactRow | null> {
  return await within(pool, async (client) => {
    const before = await readContact(client, key, true);
    if (!before) return null;
    const { name = before.name, email = before.email, at } = change;
    if (name === before.name && email === before.email) return before;
    const { rows } = await client.query<ContactRow>({
      name: 'contacts-update',
      text: `UPDATE contacts SET name = $2, email = $3, updated_at = $4 WHERE id = $1 RETURNING ${CONTACT_COLUMNS}`,
      values: [key.id, name, email, at],
    });
    const after = rows[0] as ContactRow;
    await emitContactUpdated(client, key, after, 'updated');
    return after;
  });
}
