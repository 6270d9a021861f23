import type pg from 'pg';
import type { ContactChanged, ToldContact } from '../../messages/events/bodies.js';
import { emitEvents } from '../../messages/events/outbox.js';
import { findOptedOut } from '../opt-outs/opt-out-store.js';

/** A row of `contacts`, by CONTACT_COLUMNS. */
export interface ContactRow {
  id: string;
  phone: string;
  name: string;
  email: string;
  createdAt: Date;
  updatedAt: Date;
}

/** What a statement selects or returns for a ContactRow. */
export const CONTACT_COLUMNS = 'id, phone, name, email, created_at AS "createdAt", updated_at AS "updatedAt"';

/** A contact as the interface and its events show it. */
export type ContactRecord = ToldContact;

/** Contacts of a channel as the interface and its events show them, in their order. */
export async function contactRecords(
  connection: pg.Pool | pg.PoolClient,
  channelId: string,
  contacts: readonly ContactRow[],
): Promise<ContactRecord[]> {
  if (contacts.length === 0) return [];
  const phones = contacts.map(({ phone }) => phone);
  const optedOut = new Set(await findOptedOut(connection, channelId, phones));
  return contacts.map(({ id, phone, name, email, createdAt, updatedAt }) => ({
    ...{ id, phone, name, email, optedOut: optedOut.has(phone) },
    ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
  }));
}

/** Of which channel a contact is. */
interface ContactScope {
  accountId: string;
  channelId: string;
}

/** Tells the channel's webhooks, in the transaction of the change: `contact.updated` goes out for new contacts too. */
export async function emitContactUpdated(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  contact: ContactRow,
  changed: ContactChanged,
  occurredAt: Date = contact.updatedAt,
): Promise<void> {
  await emitContactsChanged(client, { accountId, channelId }, [contact], changed, occurredAt);
}

/** Tells the channel's webhooks of several contacts to which the same happened, as `emitContactUpdated` does of one. */
export async function emitContactsChanged(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  contacts: readonly ContactRow[],
  changed: ContactChanged,
  occurredAt: Date,
): Promise<void> {
  const records = await contactRecords(client, channelId, contacts);
  const facts = records.map((record) => ({ contact: record, channelId, changed }));
  await emitEvents(client, { accountId, channelId, type: 'contact.updated', occurredAt }, facts);
}

/** Tells the channel's webhooks of a contact that is gone, in the transaction that deletes it. */
export async function emitContactDeleted(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  contact: ContactRow,
  occurredAt: Date,
): Promise<void> {
  const records = await contactRecords(client, channelId, [contact]);
  const facts = records.map((record) => ({ contact: record, channelId }));
  await emitEvents(client, { accountId, channelId, type: 'contact.deleted', occurredAt }, facts);
}
