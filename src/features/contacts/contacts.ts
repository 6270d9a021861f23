import type pg from 'pg';
import { within } from '../../platform/store/within.js';
import { toContactName } from './contact-fields.js';
import {
  countContacts,
  findContact,
  insertContact,
  type KnownContact,
  nameContact,
  openConversation,
} from './contact-store.js';
import { emitContactUpdated } from './record.js';

/** Whom a channel talks with, by number. */
export interface ContactByPhone {
  accountId: string;
  channelId: string;
  /** Digits with country code, checked by the caller. */
  phone: string;
  /** For a new contact, and for one that has no name yet; made to fit where it is too long or has control characters. */
  name?: string;
  /** When it happens. */
  at: Date;
}

export interface FoundContact {
  contactId: string;
  conversationId: string;
  /** Whether the contact is new. */
  created: boolean;
  /** What else it is known by, and called. */
  known: Pick<KnownContact, 'phone' | 'userId' | 'parentUserId' | 'username'>;
}

/** Of one who is new. */
const UNKNOWN = { userId: null, parentUserId: null, username: null };

export interface FindOptions {
  /** Keeps the contact from being deleted until the caller's transaction ends. */
  lock?: boolean;
}

/** Another process may delete the contact between two statements, over and over, but hardly as often as this. */
const MAX_TRIES = 10;

/**
 * The contact of a channel with this number and its one conversation; each is made when it is not there. However many
 * ask at once, there is one of each. A new contact, or a name for one that had none, is a `contact.updated`.
 * @param connection a pool, or the client of the caller's transaction: there, a new contact holds the lock on its
 * channel's count until the end, so let nothing slow follow
 */
export async function findOrCreateContact(
  connection: pg.Pool | pg.PoolClient,
  asked: ContactByPhone,
  { lock = false }: FindOptions = {},
): Promise<FoundContact> {
  const contact = { ...asked, name: toContactName(asked.name ?? '') };
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const known = await findContact(connection, contact, lock);
    if (known?.conversationId && (known.name !== '' || contact.name === '')) {
      return { contactId: known.id, conversationId: known.conversationId, created: false, known };
    }
    const found = await within(connection, (client) =>
      known ? complete(client, known, contact) : create(client, contact),
    );
    if (found) return found;
  }
  throw new Error('a contact was deleted again and again while it was looked for');
}

/** Null when another process has just made the contact. */
async function create(client: pg.PoolClient, contact: ContactByPhone): Promise<FoundContact | null> {
  const { accountId, channelId, phone, name = '', at } = contact;
  const made = await insertContact(client, { accountId, channelId, phone, name, at });
  if (!made) return null;
  const conversationId = await openConversation(client, made.id, at);
  await emitContactUpdated(client, contact, made, { change: 'created' });
  await countContacts(client, channelId, 1);
  return conversationId ? { contactId: made.id, conversationId, created: true, known: { ...UNKNOWN, phone } } : null;
}

/** Null when the contact is gone. */
async function complete(
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
