-- The conversations of a channel with unread messages, in the order of the list. A row leaves it when it is marked as read.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "conversations_unread_idx" ON "conversations"
  ("channel_id", "last_message_at" DESC, "id" DESC) WHERE "unread_count" > 0;
