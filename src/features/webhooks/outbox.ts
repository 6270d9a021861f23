import type pg from 'pg';
import { insertAllDeliveries, insertDeliveries } from './outbox-store.js';

/** The events that a webhook of a channel may ask for. */
export const WEBHOOK_EVENTS = [
  'message.received',
  'message.status',
  'contact.updated',
  'contact.deleted',
  'automation.completed',
] as const;

/** The events that a webhook of the whole account may ask for. */
export const ACCOUNT_WEBHOOK_EVENTS = ['message.received', 'message.status', 'account.balance_low'] as const;

export type ChannelEventType = (typeof WEBHOOK_EVENTS)[number];
export type AccountEventType = (typeof ACCOUNT_WEBHOOK_EVENTS)[number];
export type WebhookEventType = ChannelEventType | AccountEventType;

/** Something that happened on a channel, as webhooks are told. */
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
 * Writes an event into the outbox of every active webhook of its channel or its account that wants it. Called in the transaction that
 * makes the event, so that neither is ever without the other; deliverers find it once that commits.
 * @returns how many webhooks will be told
 */
export function emitEvent(client: pg.PoolClient | pg.Pool, event: WebhookEvent): Promise<number> {
  return insertDeliveries(client, event);
}

/** Writes several events of one type and moment into the outbox, as `emitEvent` does one. */
export async function emitEvents(
  client: pg.PoolClient | pg.Pool,
  event: Omit<WebhookEvent, 'data'>,
  data: readonly WebhookEvent['data'][],
): Promise<void> {
  if (data.length > 0) await insertAllDeliveries(client, event, data);
}
