import type pg from 'pg';
import { insertDeliveries } from './outbox-store.js';

/** The events that a webhook may ask for. */
export const WEBHOOK_EVENTS = [
  'message.received',
  'message.status',
  'contact.updated',
  'automation.completed',
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** Something that happened on a channel, as its webhooks are told. */
export interface WebhookEvent {
  accountId: string;
  channelId: string;
  type: WebhookEventType;
  /** Becomes `data` of the body; JSON, without internals. */
  data: Readonly<Record<string, unknown>>;
  /** Business time of the event; becomes `timestamp` of the body. */
  occurredAt: Date;
}

/**
 * Writes an event into the outbox of every active webhook of its channel that wants it. Called in the transaction that
 * makes the event, so that neither is ever without the other; deliverers find it once that commits.
 * @returns how many webhooks will be told
 */
export function emitEvent(client: pg.PoolClient | pg.Pool, event: WebhookEvent): Promise<number> {
  return insertDeliveries(client, event);
}
