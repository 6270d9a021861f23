-- What is under way: the relay's index also tells the number, and is read whole for it. Its rows leave it soon.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_due_idx" ON "messages"
  ("priority", "next_look", number_key("account_id", "recipient")) WHERE "next_look" IS NOT NULL;
