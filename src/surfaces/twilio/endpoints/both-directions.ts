import { listInbound } from '../../../features/inbound/list.js';
import { findInboundsByIds, type InboundEntry, type InboundFilter } from '../../../features/inbound/list-store.js';
import { listMessages } from '../../../messages/search/list-messages.js';
import type { MessageFilter } from '../../../messages/search/list-store.js';
import { findAccountMessage } from '../../../messages/status/find-message.js';
import type { Clock } from '../../../platform/clock.js';
import { isUuid } from '../../../platform/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';

export type BothOptions = UseCaseOptions<typeof findAccountMessage | typeof listMessages | typeof listInbound> & {
  clock: Clock;
};

type Sent = NonNullable<Awaited<ReturnType<typeof findAccountMessage>>>;

export type AnyMessage =
  | { id: string; sent: Sent; received: null }
  | { id: string; sent: null; received: InboundEntry };

const toSent = (sent: Sent): AnyMessage => ({ id: sent.id, sent, received: null });
const toReceived = (received: InboundEntry): AnyMessage => ({ id: received.id, sent: null, received });

export async function findMessageOrInbound(
  options: BothOptions,
  accountId: string,
  id: string,
): Promise<AnyMessage | null> {
  const sent = await findAccountMessage(options, accountId, id);
  if (sent) return toSent(sent);
  const [received] = isUuid(id) ? await findInboundsByIds(options.pool, accountId, [id]) : [];
  return received ? toReceived(received) : null;
}

/** Null excludes the direction. */
export interface BothFilters {
  sent: MessageFilter | null;
  received: InboundFilter | null;
}

export async function listBothDirections(
  options: BothOptions,
  { sent, received }: BothFilters,
  page: { before: string | null; limit: number },
): Promise<{ messages: AnyMessage[]; next: string | null }> {
  const [outbound, inbound] = await Promise.all([
    sent ? listMessages(options, sent, page) : { messages: [], next: null },
    received ? listInbound(options, received, page) : { entries: [], next: null },
  ]);
  // Below the higher of the two cursors, one direction has not been read yet.
  const [floor = null] = [outbound.next, inbound.next].filter((each) => each !== null).sort((a, b) => (a < b ? 1 : -1));
  const all = [...outbound.messages.map(toSent), ...inbound.entries.map(toReceived)]
    .filter(({ id }) => floor === null || id >= floor)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const messages = all.slice(0, page.limit);
  return { messages, next: all.length > messages.length ? (messages.at(-1)?.id ?? null) : floor };
}
