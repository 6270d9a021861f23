import type pg from 'pg';
import { type PersonIds, toAddresses } from '../../carriers/numbers/user-ids.js';
import { extractDigits } from '../../carriers/numbers/written-numbers.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { recordContactOptOut } from '../opt-outs/opt-out-events.js';
import { joinOptOuts, setOptedOut } from '../opt-outs/opt-out-store.js';
import { CONTACT_FIELD_NAMES, mapFields, toFieldValues, type WrittenFields } from './contact-fields.js';
import {
  type ContactKey,
  changeContactCount,
  insertContact,
  lockContact,
  type NewContact,
  updateContactFields,
} from './contact-store.js';
import { applyMarks, areMarksEqual, prepareMarks, type WrittenMarks } from './custom/prepare.js';
import { addIds, findHolders, lockIds } from './identity/identity-store.js';
import { isFurtherNumber } from './identity/number-store.js';
import { followContactMerges } from './identity/survivor-store.js';
import { type ContactRow, emitContactUpdated } from './record.js';

interface OptOutChange {
  optedOut?: boolean;
  /** Who changes `optedOut`, for webhooks. Default: api. */
  source?: 'api' | 'operator';
}

export interface ContactChange extends Partial<WrittenFields>, OptOutChange, WrittenMarks {
  phone?: string;
  userId?: string;
  at: Date;
}

export const FIXED_PHONE_RULE = 'cannot be changed: it must be the phone of the contact, or left out';
export const FIXED_USER_ID_RULE = 'cannot be changed: it must be the userId of the contact, or left out';

type CreatedContact = Omit<NewContact, 'tags' | 'fields'> & OptOutChange & WrittenMarks;

/**
 * Existing opt-outs of the contact's addresses apply to the new contact.
 * @throws {AppError} CONFLICT if the channel already has a contact with the number or user ID, or INVALID_REQUEST for
 * invalid tags or fields
 */
export async function createContact(
  { pool }: { pool: Connection },
  { optedOut, source = 'api', tags, fields, ...contact }: CreatedContact,
): Promise<ContactRow> {
  return await withTransaction(pool, async (client) => {
    const written = await prepareMarks(client, contact.accountId, { tags, fields }, contact.at);
    if (contact.userId) await claimIds(client, contact);
    const marks = applyMarks(NO_MARKS, written);
    const inserted = await insertContact(client, { ...contact, ...marks });
    if (!inserted) throw createConflict('phone');
    if (inserted.userId) {
      const userIds = { userIds: [inserted.userId], parentIds: [] };
      await addIds(client, { channelId: contact.channelId, contactId: inserted.id }, userIds, contact.at);
      await joinOptOuts(client, contact.channelId, toAddresses(inserted));
    }
    if (optedOut !== undefined) await changeOptOut(client, contact, inserted, { optedOut, source, at: contact.at });
    await emitContactUpdated(client, contact, inserted, { change: 'created' });
    await changeContactCount(client, contact.channelId, 1);
    return inserted;
  });
}

const NO_MARKS = { tags: [], fields: null };

async function claimIds(client: pg.PoolClient, { accountId, channelId, phone, userId = null }: CreatedContact) {
  const person: PersonIds = { phone, userId, parentUserId: null };
  await lockIds(client, channelId, toAddresses(person));
  const holders = await findHolders(client, { accountId, channelId }, [person]);
  if (holders.length === 0) return;
  throw createConflict(
    holders.some((each) => phone !== null && [each.phone, ...each.numbers].includes(phone)) ? 'phone' : 'userId',
  );
}

function createConflict(field: 'phone' | 'userId'): AppError {
  return new AppError('CONFLICT', `The channel already has a contact with this ${field}.`);
}

/** Follows merges. */
export function readContact(
  { pool, prisma }: { pool: Connection; prisma: Pick<PrismaClient, 'contact'> },
  { id, accountId, channelId }: ContactKey,
): Promise<ContactRow | null> {
  const find = async (contactId: string) =>
    (await prisma.contact.findFirst({
      where: { id: contactId, accountId, channelId },
      omit: { search: true },
    })) as ContactRow | null;
  return followContactMerges(pool, id, find);
}

/** @throws {AppError} INVALID_REQUEST for invalid tags or fields, or if `phone` or `userId` differs from the stored value */
export async function updateContact(
  { pool }: { pool: Connection },
  key: ContactKey,
  change: ContactChange,
): Promise<ContactRow | null> {
  return await withTransaction(pool, async (client) => {
    const { phone, userId, optedOut, source = 'api', at } = change;
    const written = await prepareMarks(client, key.accountId, change, at);
    const before = await lockContact(client, key);
    if (!before) return null;
    if (phone !== undefined && !(await hasNumber(client, key.channelId, before, phone)))
      throw invalidField('phone', FIXED_PHONE_RULE);
    if (userId !== undefined && userId !== before.userId) throw invalidField('userId', FIXED_USER_ID_RULE);
    const values = toFieldValues(mapFields((name) => change[name] ?? before[name] ?? ''));
    const marks = applyMarks(before, written);
    const isRewritten =
      CONTACT_FIELD_NAMES.some((name) => values[name] !== before[name]) || !areMarksEqual(marks, before);
    const after = isRewritten ? await updateContactFields(client, before.id, { values, marks }, at) : before;
    const hasChangedOptOut =
      optedOut !== undefined && (await changeOptOut(client, key, before, { optedOut, source, at }));
    if (isRewritten || hasChangedOptOut) await emitContactUpdated(client, key, after, { change: 'updated' }, at);
    return after;
  });
}

async function changeOptOut(
  client: pg.PoolClient,
  { accountId, channelId }: Pick<ContactKey, 'accountId' | 'channelId'>,
  contact: ContactRow,
  { optedOut, source, at }: Required<OptOutChange> & { at: Date },
): Promise<boolean> {
  const addresses = toAddresses(contact);
  const hasChanged = await setOptedOut(client, optedOut, { channelId, addresses, at });
  if (hasChanged) await recordContactOptOut(client, { accountId, channelId, contact, isActive: optedOut, source, at });
  return hasChanged;
}

/** Includes further numbers. */
async function hasNumber(
  client: pg.PoolClient,
  channelId: string,
  contact: ContactRow,
  input: string,
): Promise<boolean> {
  const number = extractDigits(input) ?? stripPunctuation(input);
  return (
    number === contact.phone ||
    (/^\d+$/.test(number) && (await isFurtherNumber(client, { channelId, contactId: contact.id }, number)))
  );
}

function stripPunctuation(phone: string): string {
  return phone
    .trim()
    .replace(/^\+/, '')
    .replace(/[\s().\-/]/g, '');
}
