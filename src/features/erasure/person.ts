import type pg from 'pg';
import { requireAccount } from '../../accounts/accounts.js';
import { callingCodeOf, PHONE_RULE, parsePhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import { digitsOfWritten } from '../../carriers/numbers/written-numbers.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { findContacts, findTracedContacts, type PersonContact } from './person-store.js';

/** Whom an erasure is about, and where it looks. */
export interface Person {
  /** Digits with country code. */
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
  /** In any usual form with a plus sign, or digits with country code. */
  phone: string;
  /** Of one account only; undefined: of all. */
  accountId?: string;
  forgetsOptOuts?: boolean;
}

/**
 * Who has a number, in one account or in all.
 * @throws {AppError} INVALID_REQUEST for what is no phone number, NOT_FOUND for an unknown account, CONFLICT for the
 * number of a channel
 */
export async function findPerson({ prisma, pool }: PersonOptions, ref: PersonRef): Promise<Person> {
  const number = parsePhoneNumber(digitsOfWritten(ref.phone) ?? '', 'calling-code');
  if (!number) throw invalidField('phone', PHONE_RULE);
  if (ref.accountId !== undefined) await requireAccount(prisma, ref.accountId);
  const accounts = await prisma.account.findMany({ where: { id: ref.accountId }, select: { id: true } });
  const accountIds = accounts.map(({ id }) => id).sort();
  const channels = await prisma.channel.findMany({
    where: { accountId: ref.accountId },
    select: { id: true, name: true, phoneNumber: true, deletedAt: true },
  });
  const own = channels.find(({ phoneNumber, deletedAt }) => phoneNumber === number.digits && !deletedAt);
  if (own) {
    throw new AppError('CONFLICT', `the number is that of the channel ${own.id} (${own.name}), and no person's`);
  }
  const channelIds = channels.map(({ id }) => id);
  const contacts = await findContacts(pool, channelIds, number.digits);
  const traced = await findTracedContacts(pool, accountIds, number.digits);
  return {
    phone: number.digits,
    callingCode: callingCodeOf(number.digits) ?? '',
    accountIds,
    channelIds,
    everywhere: ref.accountId === undefined,
    contacts,
    contactIds: [...new Set([...contacts.map(({ id }) => id), ...traced])],
    forgetsOptOuts: ref.forgetsOptOuts ?? false,
  };
}
