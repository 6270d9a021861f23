-- Finds contacts by tags and field values. Contacts without either are not in the index, so importing them costs nothing more.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "contacts_marks_idx" ON "contacts"
  USING gin (contact_marks("channel_id", "tags", "fields")) WITH (gin_pending_list_limit = 512)
  WHERE "tags" IS NOT NULL OR "fields" IS NOT NULL;
