-- An account's inbound messages, the newest first. Storing one is a transaction of many statements, of which the entry here
-- is a small part.
-- Former text: sha256 c48a3d0ffebc6f15e99b224f7893b202e1a25ff778ed02fc762b17b9e11867d2
CREATE INDEX CONCURRENTLY IF NOT EXISTS "inbound_messages_account_id_id_idx" ON "inbound_messages" ("account_id", "id");
