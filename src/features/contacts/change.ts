import type pg from 'pg';
import { addressesOf, type PersonIds } from '../../carriers/numbers/user-ids.js';
import { digitsOfWritten } from '../../carriers/numbers/written-numbers.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { type Connection, within } from '../../platform/store/within.js';
import { joinOptOuts, setOptedOut } from '../opt-outs/opt-out-store.js';
import { CONTACT_FIELD_NAMES, mapFields, toFieldValues, type WrittenFields } from './contact-fields.js';
import {
  type ContactKey,
  countContacts,
  insertContact,
  lockContact,
  type NewContact,
  setContact,
} from './contact-store.js';
import { addIds, findHolders, lockIds } from './identity/identity-store.js';
import { isFurtherNumber } from './identity/number-store.js';
import { asSurvivor } from './identity/survivor-store.js';
import { type ContactRow, emitContactUpdated } from './record.js';

/** What an update sets; what is undefined stays as it is. */
export interface ContactChange extends Partial<WrittenFields> {
  /** It never changes: one that the contact has, however it is written, or refused. */
  phone?: string;
  /** The same of the user id. */
  userId?: string;
  /** Whether it wants no messages, as if it had written so at this moment. */
  optedOut?: boolean;
  at: Date;
}

export const FIXED_PHONE_RULE = 'cannot be changed: it must be the phone of the contact, or left out';
export const FIXED_USER_ID_RULE = 'cannot be changed: it must be the userId of the contact, or left out';

/**
 * Makes a contact and tells the channel's webhooks. What was said of one of its addresses before, an opt-out, counts for it.
 * @param contact its fields as `checkNewContact` allows them; `optedOut` as an update sets it
 * @throws {AppError} CONFLICT when the channel has a contact with this number, or with this user id
 */
export async function createContact(
  { pool }: { pool: Connection },
  { optedOut, ...contact }: NewContact & Pick<ContactChange, 'optedOut'>,
): Promise<ContactRow> {
  return await within(pool, async (client) => {
    if (contact.userId) await claimIds(client, contact);
    const made = await insertContact(client, contact);
    if (!made) throw alreadyKnown('phone');
    if (made.userId) {
      const userIds = { userIds: [made.userId], parentIds: [] };
      await addIds(client, { channelId: contact.channelId, contactId: made.id }, userIds, contact.at);
      await joinOptOuts(client, contact.channelId, addressesOf(made));
    }
    if (optedOut !== undefined) await setOptedOut(client, optedOut, { ...contact, addresses: addressesOf(made) });
    await emitContactUpdated(client, contact, made, { change: 'created' });
    await countContacts(client, contact.channelId, 1);
    return made;
  });
}

/** Until the transaction ends nobody else makes a contact of these ids, which nobody has. */
async function claimIds(client: pg.PoolClient, { accountId, channelId, phone, userId = null }: NewContact) {
  const person: PersonIds = { phone, userId, parentUserId: null };
  await lockIds(client, channelId, addressesOf(person));
  const holders = await findHolders(client, { accountId, channelId }, [person]);
  if (holders.length === 0) return;
  throw alreadyKnown(
    holders.some((each) => phone !== null && [each.phone, ...each.numbers].includes(phone)) ? 'phone' : 'userId',
  );
}

function alreadyKnown(field: 'phone' | 'userId'): AppError {
  return new AppError('CONFLICT', `The channel has a contact with this ${field} already.`);
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
 * @throws {AppError} INVALID_REQUEST for another phone or userId than the contact has
 */
export async function updateContact(
  { pool }: { pool: Connection },
  key: ContactKey,
  change: ContactChange,
): Promise<ContactRow | null> {
  return await within(pool, async (client) => {
    const before = await lockContact(client, key);
    if (!before) return null;
    const { phone, userId, optedOut, at } = change;
    if (phone !== undefined && !(await isNumberOf(client, key.channelId, before, phone)))
      throw invalidField('phone', FIXED_PHONE_RULE);
    if (userId !== undefined && userId !== before.userId) throw invalidField('userId', FIXED_USER_ID_RULE);
    const fields = toFieldValues(mapFields((name) => change[name] ?? before[name] ?? ''));
    const isRewritten = CONTACT_FIELD_NAMES.some((name) => fields[name] !== before[name]);
    const after = isRewritten ? await setContact(client, before.id, fields, at) : before;
    const decided = { channelId: key.channelId, addresses: addressesOf(before), at };
    const isDecided = optedOut !== undefined && (await setOptedOut(client, optedOut, decided));
    if (isRewritten || isDecided) await emitContactUpdated(client, key, after, { change: 'updated' }, at);
    return after;
  });
}

/** Whether a contact has a number, be it as a further one. */
async function isNumberOf(
  client: pg.PoolClient,
  channelId: string,
  contact: ContactRow,
  written: string,
): Promise<boolean> {
  const number = digitsOfWritten(written) ?? withoutPunctuation(written);
  return (
    number === contact.phone ||
    (/^\d+$/.test(number) && (await isFurtherNumber(client, { channelId, contactId: contact.id }, number)))
  );
}

/** The digits of a number as people write it; what is none stays what it is. */
function withoutPunctuation(phone: string): string {
  return phone
    .trim()
    .replace(/^\+/, '')
    .replace(/[\s().\-/]/g, '');
}
