-- What carriers reported and this version does not use, or cannot yet.
CREATE TABLE "kept_reports" (
    "id" UUID NOT NULL,
    "carrier" TEXT NOT NULL,
    "channel_id" UUID,
    "kind" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "ids" TEXT[],
    "body" BYTEA NOT NULL,
    "form" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "kept_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "kept_reports_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "kept_reports_carrier_digest_key" ON "kept_reports"("carrier", "digest");
CREATE INDEX "kept_reports_kind_id_idx" ON "kept_reports"("kind", "id");
