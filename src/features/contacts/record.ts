import type pg from 'pg';
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
  createdAt: string;
  updatedAt: string;
}

export function contactRecord({ id, phone, name, email, createdAt, updatedAt }: ContactRow): ContactRecord {
  return { id, phone, name, email, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
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
  const data = { ...contactRecord(contact), channelId, ...changed };
  await emitEvent(client, { accountId, channelId, type: 'contact.updated', data, occurredAt });
}

/** Tells the channel's webhooks of several contacts to which the same happened, as `emitContactUpdated` does of one. */
export async function emitContactsChanged(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  contacts: readonly ContactRow[],
  changed: ContactChanged,
  occurredAt: Date,
): Promise<void> {
  const data = contacts.map((contact) => ({ ...contactRecord(contact), channelId, ...changed }));
  await emitEvents(client, { accountId, channelId, type: 'contact.updated', occurredAt }, data);
}

/** Tells the channel's webhooks of a contact that is gone, in the transaction that deletes it. */
export async function emitContactDeleted(
  client: pg.PoolClient,
  { accountId, channelId }: ContactScope,
  contact: ContactRow,
  occurredAt: Date,
): Promise<void> {
  const data = { ...contactRecord(contact), channelId };
  await emitEvent(client, { accountId, channelId, type: 'contact.deleted', data, occurredAt });
}
