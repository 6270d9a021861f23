import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { ContactRow } from './record.js';

export type KnownPerson = Pick<ContactRow, 'userId' | 'username'>;

interface AddressedMessage {
  kind: 'sms' | 'whatsapp';
  contactId: string | null;
}

/** Skips SMS. */
export async function findWhatsappPeople(
  { prisma }: { prisma: Pick<PrismaClient, 'contact'> },
  messages: readonly AddressedMessage[],
): Promise<ReadonlyMap<string, KnownPerson>> {
  const ids = new Set(messages.flatMap(({ kind, contactId }) => (kind === 'whatsapp' && contactId) || []));
  if (ids.size === 0) return new Map();
  const select = { id: true, userId: true, username: true };
  const contacts = await prisma.contact.findMany({ where: { id: { in: [...ids] } }, select });
  return new Map(contacts.map(({ id, userId, username }) => [id, { userId, username }]));
}
