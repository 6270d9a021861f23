-- Messages that ask a person to confirm consent (double opt-in). Additive: processes of the previous version ignore answers.

-- CreateTable
CREATE TABLE "consent_requests" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" "channel_kind" NOT NULL,
    "sender" TEXT NOT NULL,
    "phone" TEXT NOT NULL,
    "purpose" "message_purpose" NOT NULL,
    "message_id" UUID NOT NULL,
    "button_label" TEXT,
    "name" TEXT,
    "wording" TEXT,
    "wording_version" TEXT,
    "ip" TEXT,
    "url" TEXT,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "consent_id" UUID,

    CONSTRAINT "consent_requests_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "consent_requests_account_id_phone_kind_sender_requested_at_idx" ON "consent_requests"("account_id", "phone", "kind", "sender", "requested_at");

-- AddForeignKey
ALTER TABLE "consent_requests" ADD CONSTRAINT "consent_requests_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
