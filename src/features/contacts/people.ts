import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { ContactRow } from './record.js';

/** How the contact of a message is known on WhatsApp. */
export type KnownPerson = Pick<ContactRow, 'userId' | 'username'>;

/** What is asked of a message. */
interface Addressed {
  kind: 'sms' | 'whatsapp';
  contactId: string | null;
}

/** Of some messages, by the ids of their contacts, how these are known on WhatsApp. Of SMS nobody is looked for. */
export async function peopleOf(
  { prisma }: { prisma: Pick<PrismaClient, 'contact'> },
  messages: readonly Addressed[],
): Promise<ReadonlyMap<string, KnownPerson>> {
  const ids = new Set(messages.flatMap(({ kind, contactId }) => (kind === 'whatsapp' && contactId) || []));
  if (ids.size === 0) return new Map();
  const select = { id: true, userId: true, username: true };
  const contacts = await prisma.contact.findMany({ where: { id: { in: [...ids] } }, select });
  return new Map(contacts.map(({ id, userId, username }) => [id, { userId, username }]));
}
