-- The messages of a sign-in code: an index that only messages with a code pay for.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_verification_idx" ON "messages" ("verification_id") WHERE "verification_id" IS NOT NULL;
