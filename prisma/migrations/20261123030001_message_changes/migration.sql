-- What happened to the messages of Surface A and what was written to an account, in the order of transactions: GET /v2/changes.
-- docs/decisions/ tells why it is a table of its own.

-- CreateEnum
CREATE TYPE "change_kind" AS ENUM ('message', 'status', 'inbound');

-- CreateTable
CREATE TABLE "message_changes" (
    "account_id" UUID NOT NULL,
    "xid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "id" BIGSERIAL NOT NULL,
    "kind" "change_kind" NOT NULL,
    "ids" UUID[],
    "statuses" "message_status"[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_changes_pkey" PRIMARY KEY ("account_id","xid","id")
);

-- CreateTable
CREATE TABLE "change_history" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cluster" BIGINT,

    CONSTRAINT "change_history_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "message_changes_created_at_idx" ON "message_changes"("created_at");

-- Ids that were made in the same moment share their first bytes alone: trying to compress them costs more than it saves.
ALTER TABLE "message_changes" ALTER COLUMN "ids" SET STORAGE EXTERNAL;

INSERT INTO "change_history" DEFAULT VALUES;
