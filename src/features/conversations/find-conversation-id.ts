import type { PrismaClient } from '../../platform/generated/prisma/client.js';

/** Returns null if no message was ever exchanged with the contact. */
export async function findConversationId(
  prisma: Pick<PrismaClient, 'conversation'>,
  contactId: string,
): Promise<string | null> {
  const conversation = await prisma.conversation.findUnique({ where: { contactId }, select: { id: true } });
  return conversation?.id ?? null;
}
