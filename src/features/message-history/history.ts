import { type FindMessageOptions, type FoundMessage, findAnyMessage } from '../../messages/status/find-message.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { findLinks } from '../links/link-store.js';
import { findEvents } from './history-store.js';
import { buildTimeline, type Step } from './timeline.js';

export interface HistoryOptions extends FindMessageOptions {
  pool: Connection;
  prisma: FindMessageOptions['prisma'] & Pick<PrismaClient, 'messageTry' | 'supersededReceipt'>;
}

export interface MessageHistory extends FoundMessage {
  timeline: readonly Step[];
}

/** Finds a message regardless of its surface. */
export async function findHistory(
  options: HistoryOptions,
  accountId: string,
  id: string,
): Promise<MessageHistory | null> {
  const foundMessage = await findAnyMessage(options, accountId, id);
  if (!foundMessage) return null;
  const { message } = foundMessage;
  const [tries, superseded, events, links] = await Promise.all([
    options.prisma.messageTry.findMany({ where: { messageId: message.id }, orderBy: { attempt: 'asc' } }),
    options.prisma.supersededReceipt.findMany({ where: { messageId: message.id } }),
    findEvents(options.pool, message.id),
    findLinks(options.pool, { messageId: message.id, accountId }),
  ]);
  return { ...foundMessage, timeline: buildTimeline({ foundMessage, tries, superseded, events, links }) };
}
