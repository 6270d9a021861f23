-- Of the reports that are to be played again, who works them off finds the next ones.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "kept_reports_replay_idx" ON "kept_reports" ("replay_at") WHERE "replay_at" IS NOT NULL;
