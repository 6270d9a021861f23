import { statusChangesSql } from '../changes/changes-sql.js';
import { eventBodySql } from './bodies-sql.js';

/** Columns of `messages m` that a CTE must return for `statusEvents`. */
export const STATUS_EVENT_COLUMNS = `m.id, m.account_id, m.channel_id, m.contact_id, m.conversation_id, m.surface, m.kind,
  m.sender, m.recipient, m.status, m.carrier_message_id, m.error_code, m.error_message, m.created_at, m.sent_at, m.delivered_at,
  m.read_at, m.ended_at, m.reference, m.metadata, m.callback_url, m.callback_id, m.traceparent`;

/**
 * The event and the status must be written in one transaction.
 * @param moved name of a CTE that returns STATUS_EVENT_COLUMNS
 * @param passed column of the CTE with the intermediate statuses (text[]), each of which becomes an event
 */
export function statusEvents(moved: string, passed?: string): string {
  const statuses = passed ? `m.${passed} || m.status::text` : 'ARRAY[m.status::text]';
  return `events AS (
INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at, url, traceparent)
SELECT new_id(), w.id, 'message.status', ${eventBodySql('message.status')}, coalesce(CASE reached.status
  WHEN 'sent' THEN m.sent_at WHEN 'delivered' THEN m.delivered_at WHEN 'read' THEN m.read_at ELSE m.ended_at
END, m.created_at), w.url, m.traceparent
FROM ${moved} m
CROSS JOIN LATERAL (
  SELECT id, NULL::text AS url FROM webhooks
  WHERE account_id = m.account_id AND is_active AND 'message.status' = ANY(events)
    AND (channel_id = m.channel_id OR channel_id IS NULL AND m.surface = 'a')
  UNION ALL SELECT m.callback_id, m.callback_url WHERE m.callback_id IS NOT NULL
) w
CROSS JOIN LATERAL unnest(${statuses}) AS reached(status)
WHERE (SELECT true FROM webhooks LIMIT 1)
RETURNING id, CASE WHEN url IS NOT NULL THEN (data->>'messageId')::uuid END AS called_back
), callbacks AS (
  INSERT INTO message_callbacks (message_id, delivery_id)
  SELECT called_back, id FROM events WHERE called_back IS NOT NULL
), ${statusChangesSql(moved, passed)}`;
}
