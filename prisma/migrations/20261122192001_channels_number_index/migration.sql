-- The number of a deleted channel is free for a new one.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "channels_number_key" ON "channels" ("account_id", "kind", "phone_number")
  WHERE "deleted_at" IS NULL;
