-- What became of messages, counted by hour. The statements that accept messages and change statuses append what they did
-- to count_deltas; a worker folds those rows into hourly_counts. docs/store.md tells why there are two.

-- CreateEnum
CREATE TYPE "counted_event" AS ENUM ('accepted', 'sent', 'delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled', 'opted_out', 'inbound');

-- CreateTable
CREATE TABLE "count_deltas" (
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID,
    "kind" "channel_kind" NOT NULL,
    "carrier" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "events" "counted_event"[],
    "slot" SMALLINT NOT NULL DEFAULT 0,
    "messages" INTEGER NOT NULL,
    "micros" BIGINT NOT NULL DEFAULT 0,
    "milliseconds" BIGINT NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "hourly_counts" (
    "account_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "channel_id" UUID NOT NULL,
    "kind" "channel_kind" NOT NULL,
    "carrier" TEXT NOT NULL,
    "calling_code" TEXT NOT NULL,
    "event" "counted_event" NOT NULL,
    "slot" SMALLINT NOT NULL,
    "messages" BIGINT NOT NULL,
    "micros" BIGINT NOT NULL,
    "milliseconds" BIGINT NOT NULL,

    CONSTRAINT "hourly_counts_pkey" PRIMARY KEY ("account_id","hour","channel_id","kind","carrier","calling_code","event","slot")
);

-- Rows live for seconds: all are deleted soon after they came, so the table must not grow by its dead rows.
ALTER TABLE "count_deltas" SET (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0
);

-- The rows of the present hour are updated every few seconds, and no indexed column of theirs changes.
ALTER TABLE "hourly_counts" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
