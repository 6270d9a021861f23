ALTER TABLE "messages" ADD COLUMN "verification_id" UUID;

CREATE TYPE "VerificationStatus" AS ENUM ('pending', 'approved');

CREATE TABLE "verifications" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "recipient" TEXT NOT NULL,
    "calling_code" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "approved_at" TIMESTAMPTZ(3),
    "status" "VerificationStatus" NOT NULL DEFAULT 'pending',
    "digits" SMALLINT NOT NULL,
    "sends" SMALLINT NOT NULL DEFAULT 0,
    "checks" SMALLINT NOT NULL DEFAULT 0,
    "code_hash" BYTEA,
    "sealed_code" BYTEA,
    CONSTRAINT "verifications_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "verifications_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "verifications_account_id_recipient_idx" ON "verifications"("account_id", "recipient");
-- Those whose codes are to be blanked.
CREATE INDEX "verifications_sealed_idx" ON "verifications"("expires_at") WHERE "sealed_code" IS NOT NULL;

CREATE TABLE "verification_recipients" (
    "account_id" UUID NOT NULL,
    "recipient" TEXT NOT NULL,
    "sends" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "checks" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "touched_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "verification_recipients_pkey" PRIMARY KEY ("account_id", "recipient"),
    CONSTRAINT "verification_recipients_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
