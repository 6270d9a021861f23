-- One run at a time of an automation for a contact. Those that a client has let begin beside another are not in it.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_alone_key" ON "automation_runs"
  ("automation_id", "contact_id") WHERE "alone" AND "completed_at" IS NULL;
