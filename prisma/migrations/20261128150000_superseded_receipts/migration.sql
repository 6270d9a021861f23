-- Receipts about attempts that no longer own their message: they are part of its history and have no other effect. Additive.
CREATE TABLE "superseded_receipts" (
    "message_id" UUID NOT NULL,
    "carrier" TEXT NOT NULL,
    "carrier_message_id" TEXT NOT NULL,
    "status" "message_status" NOT NULL,
    "attempt" SMALLINT,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "error_code" TEXT,
    "error_message" TEXT,

    CONSTRAINT "superseded_receipts_pkey" PRIMARY KEY ("message_id","carrier","carrier_message_id","status")
);

-- Which attempt an early receipt is about, where the carrier says so.
ALTER TABLE "early_receipts" ADD COLUMN     "attempt" SMALLINT;
