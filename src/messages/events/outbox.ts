import type pg from 'pg';
import { bodyOf, type EmittedEvent, type FactsOf } from './bodies.js';
import type { TEST_EVENT } from './event-types.js';
import { insertDeliveries } from './outbox-store.js';

type ChannelEvent = Exclude<EmittedEvent, typeof TEST_EVENT>;

/** Something that happened on a channel. */
export interface WebhookEvent<T extends ChannelEvent> {
  accountId: string;
  /** Null of what is the account's own. */
  channelId: string | null;
  type: T;
  /** Becomes `timestamp` of the body; business time. */
  occurredAt: Date;
}

/**
 * Writes an event into the outbox of every active webhook of its channel or its account that wants it. Called in the
 * transaction that makes the event, so that neither is ever without the other; deliverers find it once that commits.
 * @param facts of each event of this type and moment
 */
export async function emitEvents<T extends ChannelEvent>(
  client: pg.PoolClient | pg.Pool,
  { type, ...event }: WebhookEvent<T>,
  facts: readonly FactsOf<T>[],
): Promise<void> {
  if (facts.length === 0) return;
  await insertDeliveries(
    client,
    { ...event, type },
    facts.map((each) => bodyOf(type, each)),
  );
}
