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

export interface FindMessageOptions {
  prisma: Pick<PrismaClient, 'message' | 'messagePart' | 'fallback'>;
}

/** The row of a message of Surface A; null when the account has none with this id. */
export async function findAccountMessage(
  { prisma }: { prisma: Pick<PrismaClient, 'message'> },
  accountId: string,
  id: string,
): Promise<Message | null> {
  return isUuid(id) ? await prisma.message.findFirst({ where: { id, accountId, surface: 'a' } }) : null;
}

/** The row of a message of a channel, or of one of its conversations; null when the channel has none with this id. */
export async function findChannelMessage(
  { prisma }: { prisma: Pick<PrismaClient, 'message' | 'conversation'> },
  { accountId, channelId }: { accountId: string; channelId: string },
  id: string,
): Promise<Message | null> {
  const message = isUuid(id) ? await prisma.message.findFirst({ where: { id, accountId } }) : null;
  if (!message || message.channelId === channelId) return message;
  const { conversationId } = message;
  if (message.channelId !== null || conversationId === null) return null;
  // An SMS of Surface A whose sender ID is the number of an SMS channel.
  const own = await prisma.conversation.findFirst({ where: { id: conversationId, channelId }, select: { id: true } });
  return own && message;
}

/** A message of Surface A with all that is known of it; null when the account has none with this id. */
export async function findMessage(
  options: FindMessageOptions,
  accountId: string,
  id: string,
): Promise<FoundMessage | null> {
  const message = await findAccountMessage(options, accountId, id);
  return message && (await withParts(options, message));
}

/** The same of a message of either surface. */
export async function findAnyMessage(
  options: FindMessageOptions,
  accountId: string,
  id: string,
): Promise<FoundMessage | null> {
  const message = isUuid(id) ? await options.prisma.message.findFirst({ where: { id, accountId } }) : null;
  return message && (await withParts(options, message));
}

async function withParts({ prisma }: FindMessageOptions, message: Message): Promise<FoundMessage> {
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
