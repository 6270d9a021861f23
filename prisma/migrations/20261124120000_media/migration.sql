-- Files of channels: those that were handed in, and those of messages from contacts. Their bytes lie in a folder or a bucket.
CREATE TYPE "media_origin" AS ENUM ('uploaded', 'received');

CREATE TYPE "media_status" AS ENUM ('remote', 'writing', 'kept', 'removed');

CREATE TABLE "media" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "origin" "media_origin" NOT NULL,
    "status" "media_status" NOT NULL,
    "message_id" UUID,
    "carrier_media_id" TEXT,
    "mime_type" TEXT NOT NULL,
    "size" BIGINT,
    "sha256" TEXT,
    "filename" TEXT,
    "idempotency_key" TEXT,
    "leased_until" TIMESTAMPTZ(3),
    "next_look" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "media_pkey" PRIMARY KEY ("id")
);

-- What an account keeps is added up from the index alone.
CREATE INDEX "media_account_bytes_idx" ON "media"("account_id") INCLUDE ("size") WHERE "size" IS NOT NULL;
CREATE INDEX "media_channel_id_id_idx" ON "media"("channel_id", "id");
CREATE UNIQUE INDEX "media_channel_id_idempotency_key_key" ON "media"("channel_id", "idempotency_key");
CREATE INDEX "media_message_id_idx" ON "media"("message_id") WHERE "message_id" IS NOT NULL;
-- What was begun and not finished, and what was deleted.
CREATE INDEX "media_unfinished_idx" ON "media"("id") WHERE "status" IN ('writing', 'removed');
-- What is to be fetched without being asked for.
CREATE INDEX "media_next_look_idx" ON "media"("next_look") WHERE "next_look" IS NOT NULL;

-- The copies of them that carriers hold.
CREATE TABLE "media_uploads" (
    "media_id" UUID NOT NULL,
    "place" TEXT NOT NULL,
    "carrier_media_id" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "media_uploads_pkey" PRIMARY KEY ("media_id", "place"),
    CONSTRAINT "media_uploads_media_id_fkey" FOREIGN KEY ("media_id") REFERENCES "media"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
