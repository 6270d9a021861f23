-- An account's inbound messages, the newest first. Storing one is a transaction of many statements, of which the entry here
-- is a small part.
CREATE INDEX "inbound_messages_account_id_id_idx" ON "inbound_messages" ("account_id", "id");
