import type pg from 'pg';
import { findOptedOut } from '../opt-outs/opt-out-store.js';
import { emitEvent, emitEvents } from '../webhooks/outbox.js';

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
export interface ContactRecord {
  id: string;
  phone: string;
  name: string;
  email: string;
  /** It wants no messages from its channel. */
  optedOut: boolean;
  createdAt: string;
  updatedAt: string;
}

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

/** What happened to a contact that is still there. */
export type ContactChanged =
  | { change: 'created' | 'updated' }
  | { change: 'added_to_group' | 'removed_from_group'; groupId: string };

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
  const data = records.map((record) => ({ ...record, channelId, ...changed }));
  await emitEvents(client, { accountId, channelId, type: 'contact.updated', occurredAt }, data);
}

/** Tells the channel's webhooks of a contact that is gone, in the transaction that deletes it. */
export async function emitContactDeleted(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  contact: ContactRow,
  occurredAt: Date,
): Promise<void> {
  const [record] = await contactRecords(client, channelId, [contact]);
  const data = { ...record, channelId };
  await emitEvent(client, { accountId, channelId, type: 'contact.deleted', data, occurredAt });
}
