import type pg from 'pg';
import type { Statement } from '../../platform/store/pool.js';

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

const EMIT: Statement = {
  name: 'webhooks-emit',
  text: `
INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
SELECT new_id(), id, $3::text, $4::jsonb, $5::timestamptz FROM webhooks
WHERE channel_id = $2::uuid AND account_id = $1::uuid AND is_active AND $3::text = ANY(events)`,
};

/**
 * Writes an event into the outbox of every active webhook of its channel that wants it. Called in the transaction that
 * makes the event, so that neither is ever without the other; deliverers find it once that commits.
 * @returns how many webhooks will be told
 */
export async function emitEvent(
  client: pg.PoolClient | pg.Pool,
  { accountId, channelId, type, data, occurredAt }: WebhookEvent,
): Promise<number> {
  const values = [accountId, channelId, type, JSON.stringify(data), occurredAt.toISOString()];
  const { rowCount } = await client.query({ ...EMIT, values });
  return rowCount ?? 0;
}
