import type { PrismaClient } from '../../platform/generated/prisma/client.js';

/** The id of the conversation with a contact; null while nothing was written either way. */
export async function conversationWith(
  prisma: Pick<PrismaClient, 'conversation'>,
  contactId: string,
): Promise<string | null> {
  const found = await prisma.conversation.findUnique({ where: { contactId }, select: { id: true } });
  return found?.id ?? null;
}
