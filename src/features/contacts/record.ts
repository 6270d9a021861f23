import type pg from 'pg';
import { emitEvent } from '../webhooks/outbox.js';

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

/** Tells the channel's webhooks, in the transaction of the change: `contact.updated` goes out for new contacts too. */
export async function emitContactUpdated(
  client: pg.PoolClient,
  scope: { accountId: string; channelId: string },
  contact: ContactRow,
  change: 'created' | 'updated',
): Promise<void> {
  const { accountId, channelId } = scope;
  const data = { ...contactRecord(contact), change };
  await emitEvent(client, { accountId, channelId, type: 'contact.updated', data, occurredAt: contact.updatedAt });
}
