import type pg from 'pg';
import { withTransaction } from '../../platform/store/with-transaction.js';
import { toContactName } from './contact-fields.js';
import {
  changeContactCount,
  findContact,
  insertContact,
  type KnownContact,
  nameContact,
  openConversation,
} from './contact-store.js';
import { emitContactUpdated } from './record.js';

export interface ContactByPhone {
  accountId: string;
  channelId: string;
  /** Digits with country code. */
  phone: string;
  name?: string;
  at: Date;
}

export interface FoundContact {
  contactId: string;
  conversationId: string;
  created: boolean;
  known: Pick<KnownContact, 'phone' | 'userId' | 'parentUserId' | 'username'>;
}

const UNKNOWN_IDS = { userId: null, parentUserId: null, username: null };

export interface FindOptions {
  lock?: boolean;
}

/** Maximum number of attempts, because another process may delete the contact between two statements of an attempt. */
const MAX_ATTEMPTS = 10;

/**
 * @param connection In the caller's transaction, a new contact locks the channel's row until the end, so nothing slow
 * should follow.
 */
export async function findOrCreateContact(
  connection: pg.Pool | pg.PoolClient,
  requested: ContactByPhone,
  { lock = false }: FindOptions = {},
): Promise<FoundContact> {
  const contact = { ...requested, name: toContactName(requested.name ?? '') };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const known = await findContact(connection, contact, lock);
    if (known?.conversationId && (known.name !== '' || contact.name === '')) {
      return { contactId: known.id, conversationId: known.conversationId, created: false, known };
    }
    const found = await withTransaction(connection, (client) =>
      known ? completeContact(client, known, contact) : createContact(client, contact),
    );
    if (found) return found;
  }
  throw new Error('a contact was deleted repeatedly during a lookup');
}

async function createContact(client: pg.PoolClient, contact: ContactByPhone): Promise<FoundContact | null> {
  const { accountId, channelId, phone, name = '', at } = contact;
  const inserted = await insertContact(client, { accountId, channelId, phone, name, at });
  if (!inserted) return null;
  const conversationId = await openConversation(client, inserted.id, at);
  await emitContactUpdated(client, contact, inserted, { change: 'created' });
  await changeContactCount(client, channelId, 1);
  return conversationId
    ? { contactId: inserted.id, conversationId, created: true, known: { ...UNKNOWN_IDS, phone } }
    : null;
}

async function completeContact(
  client: pg.PoolClient,
  known: KnownContact,
  contact: ContactByPhone,
): Promise<FoundContact | null> {
  const { id } = known;
  const { name = '', at } = contact;
  if (name !== '') {
    const named = await nameContact(client, id, { name, at });
    if (named) await emitContactUpdated(client, contact, named, { change: 'updated' });
  }
  const conversationId = await openConversation(client, id, at);
  return conversationId ? { contactId: id, conversationId, created: false, known } : null;
}
