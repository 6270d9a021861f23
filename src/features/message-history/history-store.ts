import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import type { DeliveryEntry } from '../webhooks/delivery-log-store.js';

export interface StatusEvent
  extends Omit<DeliveryEntry, 'type' | 'body' | 'bodyTruncated' | 'deliveredAt' | 'messageId' | 'tries'> {
  webhookId: string;
  /** The webhook's channel; null for a deleted webhook or a webhook of the whole account. */
  channelId: string | null;
  url: string | null;
  /** Whether the event was sent to the `callback_url` of the send. */
  isCallback: boolean;
  reportedStatus: string;
}

/** High enough for a message with ten webhooks. */
const MAX_EVENTS = 100;

const FIND_EVENTS: PlannedStatement = {
  text: `SELECT d.id, d.webhook_id AS "webhookId", w.channel_id AS "channelId", coalesce(d.url, w.url) AS url, d.url IS NOT NULL AS "isCallback",
                d.data->>'status' AS "reportedStatus", d.status, d.attempts, d.last_status_code AS "lastStatusCode",
                d.last_error AS "lastError", d.created_at AS "createdAt", d.last_attempt_at AS "lastAttemptAt",
                d.next_attempt_at AS "nextAttemptAt"
         FROM webhook_deliveries d LEFT JOIN webhooks w ON w.id = d.webhook_id
         WHERE d.type = 'message.status' AND (d.data->>'messageId')::uuid = $1
         ORDER BY d.id LIMIT ${MAX_EVENTS}`,
};

/** Returns the message's events that are still in the delivery log, oldest first. */
export async function findEvents(pool: Connection, messageId: string): Promise<StatusEvent[]> {
  const { rows } = await pool.query<StatusEvent>({ ...FIND_EVENTS, values: [messageId] });
  return rows;
}
