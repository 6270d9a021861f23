-- What carriers over HTTP were asked lately, and what they answered. A crash of PostgreSQL may empty it, and backups leave it out.
CREATE UNLOGGED TABLE "carrier_calls" (
    "id" UUID NOT NULL,
    "carrier" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "milliseconds" INTEGER NOT NULL,
    "message_id" UUID,
    "method" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "request" TEXT,
    "status" INTEGER,
    "answer" TEXT,
    "failure" TEXT,
    "failed" BOOLEAN NOT NULL,

    CONSTRAINT "carrier_calls_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "carrier_calls_carrier_failed_id_idx" ON "carrier_calls"("carrier", "failed", "id");
CREATE INDEX "carrier_calls_message_id_idx" ON "carrier_calls"("message_id") WHERE "message_id" IS NOT NULL;
