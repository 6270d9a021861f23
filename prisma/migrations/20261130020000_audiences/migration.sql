-- Saved conditions that select contacts, and the time of the last message to each contact. Additive: processes of the
-- previous version ignore both.

-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "last_outbound_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "audiences" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "condition" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audiences_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audiences_channel_id_id_idx" ON "audiences"("channel_id", "id");

-- CreateIndex
CREATE INDEX "audiences_account_id_idx" ON "audiences"("account_id");

-- AddForeignKey
ALTER TABLE "audiences" ADD CONSTRAINT "audiences_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: names that look alike are the same, as for groups.
CREATE UNIQUE INDEX "audiences_folded_name_key" ON "audiences" ("channel_id", fold_name("name"));
