import type { Fallback, Message, MessagePart, PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

/** A message with what is known of its parts and of its fallback. */
export interface FoundMessage {
  message: Message;
  /** Of an SMS of several parts, those that a carrier took, in order. */
  parts: readonly MessagePart[];
  /** What became of its fallback; null while it has not come to that. */
  fallback: Fallback | null;
  /** The WhatsApp message whose fallback it is. */
  fallbackOf: string | null;
}

type Tables = Pick<PrismaClient, 'message' | 'messagePart' | 'fallback'>;

/** A message of Surface A by its id; null when the account has none such. */
export async function findMessage(prisma: Tables, accountId: string, id: string): Promise<FoundMessage | null> {
  const message = isUuid(id) ? await prisma.message.findFirst({ where: { id, accountId, surface: 'a' } }) : null;
  if (!message) return null;
  if (message.kind === 'whatsapp') {
    const fallback = await prisma.fallback.findUnique({ where: { messageId: message.id } });
    return { message, parts: [], fallback, fallbackOf: null };
  }
  const [parts, made] = await Promise.all([
    message.parts > 1
      ? prisma.messagePart.findMany({ where: { messageId: message.id }, orderBy: { part: 'asc' } })
      : [],
    prisma.fallback.findUnique({ where: { smsId: message.id }, select: { messageId: true } }),
  ]);
  return { message, parts, fallback: null, fallbackOf: made?.messageId ?? null };
}
