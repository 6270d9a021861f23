import { listInbound } from '../../../features/inbound/list.js';
import { findInboundsByIds, type InboundEntry, type InboundFilter } from '../../../features/inbound/list-store.js';
import { listMessages } from '../../../messages/search/list-messages.js';
import type { MessageFilter } from '../../../messages/search/list-store.js';
import { findAccountMessage } from '../../../messages/status/find-message.js';
import type { Clock } from '../../../platform/clock.js';
import { isUuid } from '../../../platform/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';

export type BothDirectionsOptions = UseCaseOptions<
  typeof findAccountMessage | typeof listMessages | typeof listInbound
> & {
  clock: Clock;
};

type SentMessage = NonNullable<Awaited<ReturnType<typeof findAccountMessage>>>;

export type AnyMessage =
  | { id: string; sent: SentMessage; received: null }
  | { id: string; sent: null; received: InboundEntry };

const toSent = (sent: SentMessage): AnyMessage => ({ id: sent.id, sent, received: null });
const toReceived = (received: InboundEntry): AnyMessage => ({ id: received.id, sent: null, received });

export async function findMessageOrInbound(
  options: BothDirectionsOptions,
  accountId: string,
  id: string,
): Promise<AnyMessage | null> {
  const sent = await findAccountMessage(options, accountId, id);
  if (sent) return toSent(sent);
  const [received] = isUuid(id) ? await findInboundsByIds(options.pool, accountId, [id]) : [];
  return received ? toReceived(received) : null;
}

/** Null excludes the direction. */
export interface DirectionFilters {
  sent: MessageFilter | null;
  received: InboundFilter | null;
}

export async function listBothDirections(
  options: BothDirectionsOptions,
  { sent, received }: DirectionFilters,
  page: { before: string | null; limit: number },
): Promise<{ messages: AnyMessage[]; next: string | null }> {
  const [outbound, inbound] = await Promise.all([
    sent ? listMessages(options, sent, page) : { messages: [], next: null },
    received ? listInbound(options, received, page) : { entries: [], next: null },
  ]);
  // Entries older than the newer of the two cursors are left for the next page, because the direction with that cursor may have
  // further entries of the same age.
  const [endOfMerge = null] = [outbound.next, inbound.next]
    .filter((cursor) => cursor !== null)
    .sort((a, b) => (a < b ? 1 : -1));
  const merged = [...outbound.messages.map(toSent), ...inbound.entries.map(toReceived)]
    .filter(({ id }) => endOfMerge === null || id >= endOfMerge)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const messages = merged.slice(0, page.limit);
  return { messages, next: merged.length > messages.length ? (messages.at(-1)?.id ?? null) : endOfMerge };
}
