/**
 * The part of a statement that writes `message.status` events for messages that it moved, into the outbox of every
 * active webhook that wants them: those of the message's channel, and for SMS those of the whole account.
 * @param moved name of a common table expression that returns rows of `messages`
 */
export function insertStatusEvents(moved: string): string {
  return `
INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
SELECT new_id(), w.id, 'message.status', jsonb_build_object(
  'messageId', m.id, 'channel', m.kind, 'channelId', m.channel_id, 'contactId', m.contact_id,
  'conversationId', m.conversation_id, 'from', m.sender, 'to', m.recipient, 'status', m.status,
  'carrierMessageId', m.carrier_message_id, 'errorCode', m.error_code, 'errorMessage', m.error_message
), coalesce(CASE m.status
  WHEN 'sent' THEN m.sent_at WHEN 'delivered' THEN m.delivered_at WHEN 'read' THEN m.read_at ELSE m.ended_at
END, m.created_at)
FROM ${moved} m
JOIN webhooks w ON w.account_id = m.account_id AND w.is_active AND 'message.status' = ANY(w.events)
  AND (m.channel_id IS NULL OR m.channel_id = w.channel_id)`;
}
