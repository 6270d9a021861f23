import { addressesOf, type PersonIds, phoneIn } from '../../carriers/numbers/user-ids.js';
import { digitsOfWritten } from '../../carriers/numbers/written-numbers.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';

/** Who wants no messages, as whoever enters it names the person: exactly one of these. */
export interface OptOutPerson {
  /** In any usual form with a plus sign, or digits with country code. */
  phone?: string;
  /** WhatsApp's id of the person. */
  userId?: string;
  contactId?: string;
}

/** Where the person is looked for: WhatsApp's ids and numbers are a contact's of the channel. */
interface Scope {
  accountId: string;
  /** Null of SMS, of which the number alone counts. */
  channelId: string | null;
}

/**
 * All that messages to a person may be addressed to: whoever wants none by the number wants none by the id. A number or user id
 * that is no contact's counts for itself.
 * @throws {AppError} INVALID_REQUEST for a malformed number, and of SMS for who has none; NOT_FOUND for an unknown contact
 */
export async function addressesOfPerson(
  prisma: Pick<PrismaClient, 'contact' | 'mergedContact'>,
  scope: Scope,
  { phone, userId, contactId }: OptOutPerson,
): Promise<string[]> {
  if (userId !== undefined) {
    if (scope.channelId === null) throw invalidField('userId', 'is of WhatsApp, and the sender sends SMS');
    return withContact(prisma, scope, userId, { identities: { some: { channelId: scope.channelId, userId } } });
  }
  if (contactId !== undefined) {
    const merged = await prisma.mergedContact.findUnique({ where: { id: contactId }, select: { contactId: true } });
    const contact = await find(prisma, scope, { id: merged?.contactId ?? contactId });
    if (!contact) throw new AppError('NOT_FOUND', 'There is no contact with this contactId.');
    if (scope.channelId !== null) return allAddressesOf(contact);
    if (contact.phone === null) throw invalidField('contactId', 'is of a contact whose number is not known');
    return [contact.phone];
  }
  const digits = digitsOfWritten(phone ?? '') ?? '';
  if (!/^\d{1,15}$/.test(digits)) throw invalidField('phone', 'must be a number of at most 15 digits');
  return scope.channelId === null ? [digits] : withContact(prisma, scope, digits, byNumber(scope.channelId, digits));
}

/** One who has it, be it as a further number. */
function byNumber(channelId: string, phone: string): Prisma.ContactWhereInput {
  return { OR: [{ phone }, { identities: { some: { channelId, userId: phone } } }] };
}

async function withContact(
  prisma: Pick<PrismaClient, 'contact'>,
  scope: Scope,
  address: string,
  where: Prisma.ContactWhereInput,
): Promise<string[]> {
  const contact = await find(prisma, scope, where);
  return [...new Set([address, ...(contact ? allAddressesOf(contact) : [])])];
}

function find(prisma: Pick<PrismaClient, 'contact'>, { accountId, channelId }: Scope, where: Prisma.ContactWhereInput) {
  return prisma.contact.findFirst({
    where: { ...where, accountId, ...(channelId !== null && { channelId }) },
    select: { phone: true, userId: true, parentUserId: true, identities: { where: { portfolio: '' } } },
  });
}

/** With the further numbers that are the same account. */
function allAddressesOf({ identities, ...ids }: PersonIds & { identities: readonly { userId: string }[] }): string[] {
  return [...addressesOf(ids), ...identities.flatMap(({ userId }) => phoneIn(userId) ?? [])];
}
