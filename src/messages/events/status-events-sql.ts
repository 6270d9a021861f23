import { statusChanges } from '../changes/changes-sql.js';
import { bodySql } from './bodies.js';

/** What a statement must return of `messages m` for its events; more would only be copied. */
export const STATUS_EVENT_COLUMNS = `m.id, m.account_id, m.channel_id, m.contact_id, m.conversation_id, m.surface, m.kind,
  m.sender, m.recipient, m.status, m.carrier_message_id, m.error_code, m.error_message, m.created_at, m.sent_at, m.delivered_at,
  m.read_at, m.ended_at, m.reference, m.metadata, m.callback_url, m.callback_id, m.traceparent`;

/**
 * The common table expressions of a statement that write `message.status` events for messages that it moved, into the
 * outbox, and into the changes that `GET /v2/changes` reads. Events are for the callback URL that a message's send named, and for every active webhook that wants them: those of the message's channel and, of what Surface A sent, those of the whole account.
 * Where there is no webhook at all, which is asked once, it costs nothing. It lies here, below the feature that delivers
 * the outbox, because an event must be one transaction with the status that it tells of.
 * @param moved name of a common table expression that returns STATUS_EVENT_COLUMNS
 * @param passed name of its column, if any, that lists the statuses (text[]) which a message passed on the way to its
 * present one in this very statement: each is an event of its own, however many receipts one statement takes
 */
export function statusEvents(moved: string, passed?: string): string {
  const statuses = passed ? `m.${passed} || m.status::text` : 'ARRAY[m.status::text]';
  return `events AS (
INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at, url, traceparent)
SELECT new_id(), w.id, 'message.status', ${bodySql('message.status')}, coalesce(CASE reached.status
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
), ${statusChanges(moved, passed)}`;
}
