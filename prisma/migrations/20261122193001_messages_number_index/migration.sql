-- Finding the messages to a number among those that have settled: written once for each message, by the update that settles
-- it, which writes the primary key too. docs/store.md tells what it costs, and why it is made so.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_number_idx" ON "messages"
  (message_period("id"), number_key("account_id", "recipient"), "id") WHERE "next_look" IS NULL;
