-- When a kept report is to be played again, as somebody asked for in the console.
ALTER TABLE "kept_reports" ADD COLUMN "replay_at" TIMESTAMPTZ(3);
