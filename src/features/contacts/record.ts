import type pg from 'pg';
import { toAddresses } from '../../carriers/numbers/user-ids.js';
import { emitEvents } from '../../messages/events/outbox.js';
import type { ContactChange } from '../../messages/events/webhook-events.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { findOptedOut } from '../opt-outs/opt-out-store.js';
import { type ContactFieldName, type ContactFieldValues, pickFields } from './contact-fields.js';
import { selectFieldColumns } from './contact-fields-sql.js';
import type { CustomValues } from './custom/field-values.js';
import type { StoredMarks } from './custom/prepare.js';
import { resolveLocale } from './locale.js';
import type { Locale } from './locale-value.js';

/** Selected by CONTACT_COLUMNS. */
export interface ContactRow extends ContactFieldValues, StoredMarks {
  id: string;
  phone: string | null;
  userId: string | null;
  parentUserId: string | null;
  username: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export type ContactPerson = Pick<ContactRow, 'id' | 'phone' | 'userId' | 'username' | ContactFieldName>;

export const MARK_COLUMNS = "coalesce(tags, '{}') AS tags, fields";

/** For SELECT and RETURNING. */
export const CONTACT_COLUMNS = `id, phone, user_id AS "userId", parent_user_id AS "parentUserId", username, ${selectFieldColumns()},
  ${MARK_COLUMNS},
  created_at AS "createdAt", updated_at AS "updatedAt"`;

export interface ContactRecord extends Omit<ContactPerson, keyof Locale>, Locale {
  tags: readonly string[];
  fields: CustomValues;
  optedOut: boolean;
  /** ISO 8601, like `updatedAt`. */
  createdAt: string;
  updatedAt: string;
}

export async function loadContactRecords(
  connection: pg.Pool | pg.PoolClient,
  channelId: string,
  contacts: readonly ContactRow[],
): Promise<ContactRecord[]> {
  if (contacts.length === 0) return [];
  const optedOut = new Set(await findOptedOut(connection, channelId, contacts.flatMap(toAddresses)));
  return contacts.map((contact) => {
    const { id, phone, userId, username, tags, fields, createdAt, updatedAt } = contact;
    return {
      ...{ id, phone, userId, username, ...pickFields(contact), ...resolveLocale(contact), tags, fields: fields ?? {} },
      optedOut: toAddresses(contact).some((address) => optedOut.has(address)),
      ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
    };
  });
}

interface ContactScope {
  accountId: string;
  channelId: string;
}

/** Call this function in the transaction that changes the contact. */
export async function emitContactUpdated(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  contact: ContactRow,
  changed: ContactChange,
  occurredAt: Date = contact.updatedAt,
): Promise<void> {
  await emitContactsChanged(client, { accountId, channelId }, [contact], changed, occurredAt);
}

export async function emitContactsChanged(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  contacts: readonly ContactRow[],
  changed: ContactChange,
  occurredAt: Date,
): Promise<void> {
  const records = await loadContactRecords(client, channelId, contacts);
  const facts = records.map((record) => ({ contact: record, channelId, changed }));
  await emitEvents(client, { accountId, channelId, type: 'contact.updated', occurredAt }, facts);
}

/** Call this function in the transaction that deletes the contact. */
export async function emitContactDeleted(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  contact: ContactRow,
  occurredAt: Date,
): Promise<void> {
  const records = await loadContactRecords(client, channelId, [contact]);
  const facts = records.map((record) => ({ contact: record, channelId }));
  await emitEvents(client, { accountId, channelId, type: 'contact.deleted', occurredAt }, facts);
}

const READ: Statement = { name: 'contacts-read', text: `SELECT ${CONTACT_COLUMNS} FROM contacts WHERE id = $1` };

/** Emits an event for each absorbed contact, in the transaction of the merge. */
export async function emitContactMerged(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  { contactId, absorbed }: { contactId: string; absorbed: readonly string[] },
  occurredAt: Date,
): Promise<void> {
  const { rows } = await client.query<ContactRow>({ ...READ, values: [contactId] });
  const [contact] = await loadContactRecords(client, channelId, rows);
  const facts = absorbed.map((mergedContactId) => ({ contact: contact as ContactRecord, channelId, mergedContactId }));
  await emitEvents(client, { accountId, channelId, type: 'contact.merged', occurredAt }, facts);
}
