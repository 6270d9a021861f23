-- Finds the earlier marketing messages to a number. Only marketing messages of accounts with a frequency cap are in the index.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_capped_idx" ON "messages" ("account_id", "recipient", "id") WHERE "is_capped";
