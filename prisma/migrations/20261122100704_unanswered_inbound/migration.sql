-- What tells an inbound SMS that comes again, because the process that stored it was killed before it answered, from one
-- that was written again: those that are not answered yet, and the parts of longer ones that were stored a moment ago.

-- AlterTable
ALTER TABLE "inbound_parts" ADD COLUMN     "stored_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "unanswered_inbound" (
    "carrier" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "carrier_message_id" TEXT NOT NULL,
    "claim" TEXT NOT NULL,
    "process_id" UUID NOT NULL,
    "arrived_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "unanswered_inbound_pkey" PRIMARY KEY ("carrier","fingerprint","carrier_message_id")
);
