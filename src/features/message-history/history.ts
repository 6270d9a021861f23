import { type FindMessageOptions, type FoundMessage, findAnyMessage } from '../../messages/status/find-message.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/within.js';
import { findEvents } from './history-store.js';
import { type Step, timelineOf } from './timeline.js';

export interface HistoryOptions extends FindMessageOptions {
  pool: Connection;
  prisma: FindMessageOptions['prisma'] & Pick<PrismaClient, 'messageTry' | 'supersededReceipt'>;
}

/** A message with all that happened to it. */
export interface MessageHistory extends FoundMessage {
  timeline: readonly Step[];
}

/** A message of either surface and its history; null when the account has none with this id. */
export async function findHistory(
  options: HistoryOptions,
  accountId: string,
  id: string,
): Promise<MessageHistory | null> {
  const found = await findAnyMessage(options, accountId, id);
  if (!found) return null;
  const { message } = found;
  const [tries, superseded, events] = await Promise.all([
    options.prisma.messageTry.findMany({ where: { messageId: message.id }, orderBy: { attempt: 'asc' } }),
    options.prisma.supersededReceipt.findMany({ where: { messageId: message.id } }),
    findEvents(options.pool, message.id),
  ]);
  return { ...found, timeline: timelineOf({ found, tries, superseded, events }) };
}
