import type {
  Fallback,
  Message,
  MessageHold,
  MessagePart,
  PrismaClient,
} from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

export interface FoundMessage {
  message: Message;
  /** Parts that a carrier accepted, in order; empty unless the SMS has several parts. */
  parts: readonly MessagePart[];
  /** Fallback, or null if no fallback was queued. */
  fallback: Fallback | null;
  fallbackOf: string | null;
  /** In chronological order. */
  holds: readonly MessageHold[];
}

export interface FindMessageOptions {
  prisma: Pick<PrismaClient, 'message' | 'messagePart' | 'fallback' | 'messageHold'>;
}

export async function findAccountMessage(
  { prisma }: { prisma: Pick<PrismaClient, 'message'> },
  accountId: string,
  id: string,
): Promise<Message | null> {
  return isUuid(id) ? await prisma.message.findFirst({ where: { id, accountId, surface: 'a' } }) : null;
}

/** Also finds messages of the channel's conversations. */
export async function findChannelMessage(
  { prisma }: { prisma: Pick<PrismaClient, 'message' | 'conversation'> },
  { accountId, channelId }: { accountId: string; channelId: string },
  id: string,
): Promise<Message | null> {
  const message = isUuid(id) ? await prisma.message.findFirst({ where: { id, accountId } }) : null;
  if (!message || message.channelId === channelId) return message;
  const { conversationId } = message;
  if (message.channelId !== null || conversationId === null) return null;
  // The message may be an SMS from Surface A whose sender ID is the number of an SMS channel.
  const conversation = await prisma.conversation.findFirst({
    where: { id: conversationId, channelId },
    select: { id: true },
  });
  return conversation && message;
}

export async function findMessage(
  options: FindMessageOptions,
  accountId: string,
  id: string,
): Promise<FoundMessage | null> {
  const message = await findAccountMessage(options, accountId, id);
  return message && (await loadDetails(options, message));
}

export async function findAnyMessage(
  options: FindMessageOptions,
  accountId: string,
  id: string,
): Promise<FoundMessage | null> {
  const message = isUuid(id) ? await options.prisma.message.findFirst({ where: { id, accountId } }) : null;
  return message && (await loadDetails(options, message));
}

async function loadDetails({ prisma }: FindMessageOptions, message: Message): Promise<FoundMessage> {
  if (message.kind === 'whatsapp') {
    const [fallback, holds] = await Promise.all([
      prisma.fallback.findUnique({ where: { messageId: message.id } }),
      listHolds({ prisma }, message.id),
    ]);
    return { message, parts: [], fallback, fallbackOf: null, holds };
  }
  const [holds, parts, fallbackRow] = await Promise.all([
    listHolds({ prisma }, message.id),
    message.parts > 1
      ? prisma.messagePart.findMany({ where: { messageId: message.id }, orderBy: { part: 'asc' } })
      : [],
    prisma.fallback.findUnique({ where: { smsId: message.id }, select: { messageId: true } }),
  ]);
  return { message, parts, fallback: null, fallbackOf: fallbackRow?.messageId ?? null, holds };
}

export function listHolds(
  { prisma }: { prisma: Pick<PrismaClient, 'messageHold'> },
  messageId: string,
): Promise<MessageHold[]> {
  return prisma.messageHold.findMany({ where: { messageId }, orderBy: { heldAt: 'asc' } });
}

/** Returns until when quiet hours hold the message, or null if they do not. */
export function findHeldUntil(
  { status, notBefore }: Pick<Message, 'status' | 'notBefore'>,
  holds: readonly MessageHold[],
): Date | null {
  return status === 'queued' && notBefore !== null ? (holds.at(-1)?.heldUntil ?? null) : null;
}
