import type pg from 'pg';
import { insertDeliveries } from './outbox-store.js';
import { buildEventBody, type EmittedEvent, type EventFacts, type TEST_EVENT } from './webhook-events.js';

type OutboxEventType = Exclude<EmittedEvent, typeof TEST_EVENT>;

interface OutboxEvent<T extends OutboxEventType> {
  accountId: string;
  /** Channel ID, or null for events of the whole account. */
  channelId: string | null;
  type: T;
  /** Business time. */
  occurredAt: Date;
}

/** Must be called in the transaction that causes the events. */
export async function emitEvents<T extends OutboxEventType>(
  client: pg.PoolClient | pg.Pool,
  { type, ...event }: OutboxEvent<T>,
  facts: readonly EventFacts<T>[],
): Promise<void> {
  if (facts.length === 0) return;
  await insertDeliveries(
    client,
    { ...event, type },
    facts.map((eventFacts) => buildEventBody(type, eventFacts)),
  );
}
