ALTER TABLE "accounts" ADD COLUMN "spend_guard" JSONB;
ALTER TABLE "api_keys" ADD COLUMN "spend_guard" JSONB;
ALTER TABLE "campaigns" ADD COLUMN "refused_count" INTEGER NOT NULL DEFAULT 0;

CREATE TABLE "spend_counts" (
    "account_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "span" TEXT NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "messages" BIGINT NOT NULL,
    "micros" BIGINT NOT NULL,
    CONSTRAINT "spend_counts_pkey" PRIMARY KEY ("account_id", "scope", "subject", "span", "ends_at", "key_id"),
    CONSTRAINT "spend_counts_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
-- Those that are over are deleted.
CREATE INDEX "spend_counts_ends_at_idx" ON "spend_counts"("ends_at");
