-- A channel that was deleted stays a row, for its messages and conversations name it.
ALTER TABLE "channels" ADD COLUMN "deleted_at" TIMESTAMPTZ(3);
