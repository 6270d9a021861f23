import { listInbound } from '../../../features/inbound/list.js';
import { findInboundsByIds, type InboundEntry, type InboundFilter } from '../../../features/inbound/list-store.js';
import { listMessages } from '../../../messages/search/list-messages.js';
import type { MessageFilter } from '../../../messages/search/list-store.js';
import { findAccountMessage } from '../../../messages/status/find-message.js';
import type { Clock } from '../../../platform/clock.js';
import { isUuid } from '../../../platform/ids.js';
import type { OptionsOf } from '../../http/options-of.js';

export type BothOptions = OptionsOf<typeof findAccountMessage | typeof listMessages | typeof listInbound> & {
  clock: Clock;
};

type Sent = NonNullable<Awaited<ReturnType<typeof findAccountMessage>>>;

/** A message of either direction: one that an app sent, or one that a contact wrote. */
export type AnyMessage =
  | { id: string; sent: Sent; received: null }
  | { id: string; sent: null; received: InboundEntry };

const ofSent = (sent: Sent): AnyMessage => ({ id: sent.id, sent, received: null });
const ofReceived = (received: InboundEntry): AnyMessage => ({ id: received.id, sent: null, received });

/** The message of an account with an id; null where it has none. */
export async function findEither(options: BothOptions, accountId: string, id: string): Promise<AnyMessage | null> {
  const sent = await findAccountMessage(options, accountId, id);
  if (sent) return ofSent(sent);
  const [received] = isUuid(id) ? await findInboundsByIds(options.pool, accountId, [id]) : [];
  return received ? ofReceived(received) : null;
}

/** What of each direction is asked for; null: nothing of it. */
export interface BothFilters {
  sent: MessageFilter | null;
  received: InboundFilter | null;
}

/** As `listMessages`, of both directions. */
export async function listBoth(
  options: BothOptions,
  { sent, received }: BothFilters,
  page: { before: string | null; limit: number },
): Promise<{ messages: AnyMessage[]; next: string | null }> {
  const [out, incoming] = await Promise.all([
    sent ? listMessages(options, sent, page) : { messages: [], next: null },
    received ? listInbound(options, received, page) : { entries: [], next: null },
  ]);
  // What is older may be there in one of the directions, and was not looked at.
  const [floor = null] = [out.next, incoming.next].filter((each) => each !== null).sort((a, b) => (a < b ? 1 : -1));
  const all = [...out.messages.map(ofSent), ...incoming.entries.map(ofReceived)]
    .filter(({ id }) => floor === null || id >= floor)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const messages = all.slice(0, page.limit);
  return { messages, next: all.length > messages.length ? (messages.at(-1)?.id ?? null) : floor };
}
