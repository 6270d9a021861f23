import type pg from 'pg';
import { buildEventBody, type EmittedEvent, type FactsFor } from './bodies.js';
import type { TEST_EVENT } from './event-types.js';
import { insertDeliveries } from './outbox-store.js';

type ChannelEvent = Exclude<EmittedEvent, typeof TEST_EVENT>;

/** An event of a channel or an account. */
export interface WebhookEvent<T extends ChannelEvent> {
  accountId: string;
  /** Null if the event belongs to the account. */
  channelId: string | null;
  type: T;
  /** The `timestamp` of the body. */
  occurredAt: Date;
}

/**
 * Writes an event to the outbox of every active webhook that subscribes to it. Call it in the transaction that causes
 * the event, so that neither commits without the other. Deliverers see it after the commit.
 * @param facts one entry per event
 */
export async function emitEvents<T extends ChannelEvent>(
  client: pg.PoolClient | pg.Pool,
  { type, ...event }: WebhookEvent<T>,
  facts: readonly FactsFor<T>[],
): Promise<void> {
  if (facts.length === 0) return;
  await insertDeliveries(
    client,
    { ...event, type },
    facts.map((each) => buildEventBody(type, each)),
  );
}
