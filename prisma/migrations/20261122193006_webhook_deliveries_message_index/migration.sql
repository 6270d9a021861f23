-- Which events told webhooks and callback URLs of a message. Written with each such event, and by nothing else.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_deliveries_message_idx" ON "webhook_deliveries"
  ((("data" ->> 'messageId')::uuid)) WHERE "type" = 'message.status';
