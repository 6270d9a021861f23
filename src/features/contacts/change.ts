import { addressesOf } from '../../carriers/numbers/user-ids.js';
import { digitsOfWritten } from '../../carriers/numbers/written-numbers.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { type Connection, within } from '../../platform/store/within.js';
import { setOptedOut } from '../opt-outs/opt-out-store.js';
import {
  type ContactKey,
  countContacts,
  insertContact,
  lockContact,
  type NewContact,
  setContact,
} from './contact-store.js';
import { asSurvivor } from './identity/survivor-store.js';
import { type ContactRow, emitContactUpdated } from './record.js';

/** What an update sets; what is undefined stays as it is. */
export interface ContactChange {
  name?: string;
  email?: string;
  /** It never changes: the one that the contact has, however it is written, or refused. */
  phone?: string;
  /** Whether it wants no messages, as if it had written so at this moment. */
  optedOut?: boolean;
  at: Date;
}

export const FIXED_PHONE_RULE = 'cannot be changed: it must be the phone of the contact, or left out';

/**
 * Makes a contact and tells the channel's webhooks.
 * @param contact its fields as isPhoneNumber, isContactName and isContactEmail allow them; `optedOut` as an update sets it
 * @throws {AppError} CONFLICT when the channel has a contact with this number
 */
export async function createContact(
  { pool }: { pool: Connection },
  { optedOut, ...contact }: NewContact & Pick<ContactChange, 'optedOut'>,
): Promise<ContactRow> {
  return await within(pool, async (client) => {
    const made = await insertContact(client, contact);
    if (!made) throw new AppError('CONFLICT', 'The channel has a contact with this phone already.');
    if (optedOut !== undefined) await setOptedOut(client, optedOut, { ...contact, addresses: addressesOf(made) });
    await emitContactUpdated(client, contact, made, { change: 'created' });
    await countContacts(client, contact.channelId, 1);
    return made;
  });
}

/** A contact by its id, or by that of one that has become part of it; null when the channel has no such contact. */
export function readContact(
  { pool, prisma }: { pool: Connection; prisma: Pick<PrismaClient, 'contact'> },
  { id, accountId, channelId }: ContactKey,
): Promise<ContactRow | null> {
  const find = (asked: string) =>
    prisma.contact.findFirst({ where: { id: asked, accountId, channelId }, omit: { search: true } });
  return asSurvivor(pool, id, find);
}

/**
 * Changes the given fields, and tells the channel's webhooks if any is another than before.
 * @returns the contact as it is now; null when the channel has no such contact
 * @throws {AppError} INVALID_REQUEST for another phone than the contact has
 */
export async function updateContact(
  { pool }: { pool: Connection },
  key: ContactKey,
  change: ContactChange,
): Promise<ContactRow | null> {
  return await within(pool, async (client) => {
    const before = await lockContact(client, key);
    if (!before) return null;
    const { name = before.name, email = before.email, phone, optedOut, at } = change;
    if (phone !== undefined && (digitsOfWritten(phone) ?? withoutPunctuation(phone)) !== before.phone)
      throw invalidField('phone', FIXED_PHONE_RULE);
    const isRewritten = name !== before.name || email !== before.email;
    const after = isRewritten ? await setContact(client, before.id, { name, email, at }) : before;
    const decided = { channelId: key.channelId, addresses: addressesOf(before), at };
    const isDecided = optedOut !== undefined && (await setOptedOut(client, optedOut, decided));
    if (isRewritten || isDecided) await emitContactUpdated(client, key, after, { change: 'updated' }, at);
    return after;
  });
}

/** The digits of a number as people write it; what is none stays what it is. */
function withoutPunctuation(phone: string): string {
  return phone
    .trim()
    .replace(/^\+/, '')
    .replace(/[\s().\-/]/g, '');
}
