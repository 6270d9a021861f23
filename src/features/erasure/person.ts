import type pg from 'pg';
import { requireAccount } from '../../accounts/accounts.js';
import { findCallingCode, PHONE_RULE, parsePhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import { isUserId } from '../../carriers/numbers/user-ids.js';
import { extractDigits } from '../../carriers/numbers/written-numbers.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';
import { findContacts, findLoggedContactIds, type PersonContact } from './person-store.js';

/** One address of the person to erase, with the accounts and contacts to search. */
export interface Person {
  /** A number as digits with country code, a user ID, or a contact ID. */
  address: string;
  /** Calling code that replaces the number in messages, because prices depend on the calling code. Empty for an ID. */
  callingCode: string;
  accountIds: readonly string[];
  channelIds: readonly string[];
  /** Whether rows that belong to no account are searched too. */
  coversAllAccounts: boolean;
  contacts: readonly PersonContact[];
  /** The person's contacts, including merged contacts and deleted contacts from the audit log. */
  contactIds: readonly string[];
  forgetsOptOuts: boolean;
}

export interface PersonOptions {
  prisma: Pick<PrismaClient, 'account' | 'channel'>;
  pool: pg.Pool;
}

export interface PersonRef {
  /** A phone number (with a plus sign, or as digits with country code), a WhatsApp user ID, or a contact ID. */
  address: string;
  /** Default: all accounts. */
  accountId?: string;
  forgetsOptOuts?: boolean;
}

/**
 * Returns one entry per address of the person. Only the entry of the requested address contains the contacts, and it
 * comes last, because the contacts lead to the other addresses.
 * @throws {AppError} INVALID_REQUEST; NOT_FOUND; CONFLICT if the number belongs to a channel
 */
export async function findPersons(
  { prisma, pool }: PersonOptions,
  ref: PersonRef,
  knownAddresses: readonly string[] = [],
): Promise<Person[]> {
  if (ref.accountId !== undefined) await requireAccount(prisma, ref.accountId);
  const accounts = await prisma.account.findMany({ where: { id: ref.accountId }, select: { id: true } });
  const accountIds = accounts.map(({ id }) => id).sort();
  const channels = await prisma.channel.findMany({
    where: { accountId: ref.accountId },
    select: { id: true, name: true, phoneNumber: true, deletedAt: true },
  });
  const channelIds = channels.map(({ id }) => id);
  const requested = parseAddress(ref.address);
  const channel = channels.find(({ phoneNumber, deletedAt }) => phoneNumber === requested && !deletedAt);
  if (channel) {
    throw new AppError(
      'CONFLICT',
      `the number belongs to the channel ${channel.id} (${channel.name}), not to a person`,
    );
  }
  const contacts = await findContacts(pool, channelIds, requested);
  const loggedIds = await findLoggedContactIds(pool, accountIds, requested);
  const sharedFields = {
    accountIds,
    channelIds,
    coversAllAccounts: ref.accountId === undefined,
    forgetsOptOuts: ref.forgetsOptOuts ?? false,
  };
  const addresses = new Set([...knownAddresses, ...contacts.flatMap((contact) => contact.addresses)]);
  addresses.delete(requested);
  return [...addresses, requested].map((address) => ({
    ...sharedFields,
    address,
    callingCode: findCallingCode(address) ?? '',
    contacts: address === requested ? contacts : [],
    contactIds:
      address === requested
        ? [...new Set([...contacts.flatMap(({ id, formerIds }) => [id, ...formerIds]), ...loggedIds])]
        : [],
  }));
}

function parseAddress(text: string): string {
  if (isUserId(text)) return text;
  if (isUuid(text)) return text.toLowerCase();
  const number = parsePhoneNumber(extractDigits(text) ?? '', 'calling-code');
  if (!number) throw invalidField('phone', `${PHONE_RULE}, a WhatsApp user ID, or a contact ID`);
  return number.digits;
}
