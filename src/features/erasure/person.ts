import type pg from 'pg';
import { requireAccount } from '../../accounts/accounts.js';
import { callingCodeOf, PHONE_RULE, parsePhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import { isUserId } from '../../carriers/numbers/user-ids.js';
import { digitsOfWritten } from '../../carriers/numbers/written-numbers.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';
import { findContacts, findTracedContacts, type PersonContact } from './person-store.js';

/** Whom an erasure is about, and where it looks. */
export interface Person {
  /** Digits with country code, or an id. */
  phone: string;
  /** What stays of the number, for prices go by it. */
  callingCode: string;
  /** Whose rows are looked at, and the channels of these accounts. */
  accountIds: readonly string[];
  channelIds: readonly string[];
  /** That are not of one account: looked at where every account is. */
  everywhere: boolean;
  contacts: readonly PersonContact[];
  /** Ids of these, and of contacts with the number that are deleted but stand in the audit log. */
  contactIds: readonly string[];
  /** Opt-outs are deleted too. */
  forgetsOptOuts: boolean;
}

export interface PersonOptions {
  prisma: Pick<PrismaClient, 'account' | 'channel'>;
  pool: pg.Pool;
}

export interface PersonRef {
  /** In any usual form with a plus sign, or digits with country code; or a user id of WhatsApp, or the id of a contact. */
  phone: string;
  /** Of one account only; undefined: of all. */
  accountId?: string;
  forgetsOptOuts?: boolean;
}

/**
 * Who has a number or an id, in one account or in all: for each of the addresses that the person's contacts have, the one that
 * was named last, with the contacts. They go last: until then they lead to the other addresses.
 * @param known addresses that an earlier look found
 * @throws {AppError} INVALID_REQUEST for what is neither a phone number nor an id, NOT_FOUND for an unknown account or
 * contact, CONFLICT for the number of a channel
 */
export async function findPersons(
  { prisma, pool }: PersonOptions,
  ref: PersonRef,
  known: readonly string[] = [],
): Promise<Person[]> {
  if (ref.accountId !== undefined) await requireAccount(prisma, ref.accountId);
  const accounts = await prisma.account.findMany({ where: { id: ref.accountId }, select: { id: true } });
  const accountIds = accounts.map(({ id }) => id).sort();
  const channels = await prisma.channel.findMany({
    where: { accountId: ref.accountId },
    select: { id: true, name: true, phoneNumber: true, deletedAt: true },
  });
  const channelIds = channels.map(({ id }) => id);
  const named = namedIn(ref.phone);
  const own = channels.find(({ phoneNumber, deletedAt }) => phoneNumber === named && !deletedAt);
  if (own) {
    throw new AppError('CONFLICT', `the number is that of the channel ${own.id} (${own.name}), and no person's`);
  }
  const contacts = await findContacts(pool, channelIds, named);
  const traced = await findTracedContacts(pool, accountIds, named);
  const common = {
    accountIds,
    channelIds,
    everywhere: ref.accountId === undefined,
    forgetsOptOuts: ref.forgetsOptOuts ?? false,
  };
  const others = [...new Set([...known, ...contacts.flatMap(({ addresses }) => addresses)])];
  return [...others.filter((address) => address !== named), named].map((address) => ({
    ...common,
    phone: address,
    callingCode: callingCodeOf(address) ?? '',
    contacts: address === named ? contacts : [],
    contactIds:
      address === named
        ? [...new Set([...contacts.flatMap(({ id, formerIds }) => [id, ...formerIds]), ...traced])]
        : [],
  }));
}

/** A number as its digits, or an id as it is: of WhatsApp, or a contact's. */
function namedIn(text: string): string {
  if (isUserId(text)) return text;
  if (isUuid(text)) return text.toLowerCase();
  const number = parsePhoneNumber(digitsOfWritten(text) ?? '', 'calling-code');
  if (!number) throw invalidField('phone', `${PHONE_RULE}, a user id of WhatsApp, or the id of a contact`);
  return number.digits;
}
