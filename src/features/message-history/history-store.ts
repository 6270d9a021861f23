import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/within.js';
import type { DeliveryEntry } from '../webhooks/delivery-log-store.js';

/** An event that tells a webhook, or a message's callback URL, of one of its statuses, and what became of it. */
export interface ToldEvent
  extends Omit<DeliveryEntry, 'type' | 'body' | 'bodyTruncated' | 'deliveredAt' | 'messageId' | 'tries'> {
  webhookId: string;
  /** Of the webhook; null of one of the whole account, and when it was deleted since. */
  channelId: string | null;
  /** Where it goes to; null when its webhook was deleted since. */
  url: string | null;
  /** It goes to the callback URL that the send named. */
  isCallback: boolean;
  /** The status that it tells of. */
  tells: string;
}

/** More than one message has with ten webhooks. */
const MAX_EVENTS = 100;

const FIND_EVENTS: PlannedStatement = {
  text: `SELECT d.id, d.webhook_id AS "webhookId", w.channel_id AS "channelId", coalesce(d.url, w.url) AS url, d.url IS NOT NULL AS "isCallback",
                d.data->>'status' AS tells, d.status, d.attempts, d.last_status_code AS "lastStatusCode",
                d.last_error AS "lastError", d.created_at AS "createdAt", d.last_attempt_at AS "lastAttemptAt",
                d.next_attempt_at AS "nextAttemptAt"
         FROM webhook_deliveries d LEFT JOIN webhooks w ON w.id = d.webhook_id
         WHERE d.type = 'message.status' AND (d.data->>'messageId')::uuid = $1
         ORDER BY d.id LIMIT ${MAX_EVENTS}`,
};

/** The events of a message, the oldest first, as far as the log of deliveries still holds them. */
export async function findEvents(pool: Connection, messageId: string): Promise<ToldEvent[]> {
  const { rows } = await pool.query<ToldEvent>({ ...FIND_EVENTS, values: [messageId] });
  return rows;
}
