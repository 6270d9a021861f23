import { extractPhone, type PersonIds, toAddresses } from '../../carriers/numbers/user-ids.js';
import { extractDigits } from '../../carriers/numbers/written-numbers.js';
import { invalidField, notFound } from '../../platform/errors/app-error.js';
import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';

/** Identifies a person by exactly one of its fields. */
export interface OptOutPerson {
  /** A number in any usual form with a plus sign, or only digits including the country code. */
  phone?: string;
  /** A WhatsApp user ID. */
  userId?: string;
  contactId?: string;
}

interface Scope {
  accountId: string;
  /** The channel of the opt-out; null for SMS, because an SMS opt-out covers only the number. */
  channelId: string | null;
}

/**
 * An opt-out by number also covers messages to the person's user ID.
 * @throws {AppError} INVALID_REQUEST for a malformed number, or on SMS for a contact without a number; NOT_FOUND for an
 * unknown contact
 */
export async function listAddressesOfPerson(
  prisma: Pick<PrismaClient, 'contact' | 'mergedContact'>,
  scope: Scope,
  { phone, userId, contactId }: OptOutPerson,
): Promise<string[]> {
  if (userId !== undefined) {
    if (scope.channelId === null)
      throw invalidField('userId', 'cannot be used with an SMS sender: it is a WhatsApp user ID');
    return addContactAddresses(prisma, scope, userId, { identities: { some: { channelId: scope.channelId, userId } } });
  }
  if (contactId !== undefined) {
    const merged = await prisma.mergedContact.findUnique({ where: { id: contactId }, select: { contactId: true } });
    const contact = await findContact(prisma, scope, { id: merged?.contactId ?? contactId });
    if (!contact) throw notFound('contact', 'contactId');
    if (scope.channelId !== null) return listAddresses(contact);
    if (contact.phone === null) throw invalidField('contactId', 'belongs to a contact without a phone number');
    return [contact.phone];
  }
  const digits = extractDigits(phone ?? '') ?? '';
  if (!/^\d{1,15}$/.test(digits)) throw invalidField('phone', 'must be a number of at most 15 digits');
  return scope.channelId === null
    ? [digits]
    : addContactAddresses(prisma, scope, digits, buildNumberFilter(scope.channelId, digits));
}

function buildNumberFilter(channelId: string, phone: string): Prisma.ContactWhereInput {
  return { OR: [{ phone }, { identities: { some: { channelId, userId: phone } } }] };
}

async function addContactAddresses(
  prisma: Pick<PrismaClient, 'contact'>,
  scope: Scope,
  address: string,
  where: Prisma.ContactWhereInput,
): Promise<string[]> {
  const contact = await findContact(prisma, scope, where);
  return [...new Set([address, ...(contact ? listAddresses(contact) : [])])];
}

function findContact(
  prisma: Pick<PrismaClient, 'contact'>,
  { accountId, channelId }: Scope,
  where: Prisma.ContactWhereInput,
) {
  return prisma.contact.findFirst({
    where: { ...where, accountId, ...(channelId !== null && { channelId }) },
    select: { phone: true, userId: true, parentUserId: true, identities: { where: { portfolio: '' } } },
  });
}

function listAddresses({ identities, ...ids }: PersonIds & { identities: readonly { userId: string }[] }): string[] {
  return [...toAddresses(ids), ...identities.flatMap(({ userId }) => extractPhone(userId) ?? [])];
}
