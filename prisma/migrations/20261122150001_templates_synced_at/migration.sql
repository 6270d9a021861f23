-- When a channel has last taken over its carrier's templates; NULL: never, or before this was noted.
ALTER TABLE "channels" ADD COLUMN "templates_synced_at" TIMESTAMPTZ(3);
