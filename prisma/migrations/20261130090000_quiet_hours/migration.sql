-- Quiet hours of accounts. A nullable column without a default: the filled table is not rewritten.
ALTER TABLE "accounts" ADD COLUMN     "quiet_hours" JSONB;
CREATE TABLE "message_holds" (
    "message_id" UUID NOT NULL,
    "held_at" TIMESTAMPTZ(3) NOT NULL,
    "held_until" TIMESTAMPTZ(3) NOT NULL,
    "zone" TEXT NOT NULL,
    "rule" TEXT NOT NULL,
    "purpose" "message_purpose" NOT NULL,
    CONSTRAINT "message_holds_pkey" PRIMARY KEY ("message_id","held_at")
);
