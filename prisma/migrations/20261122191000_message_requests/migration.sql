-- The request that a message came with, by its X-Request-Id; NULL: none, or before this was noted.
ALTER TABLE "messages" ADD COLUMN "request_id" TEXT;
