-- What senders may ask for: a time, a fallback to SMS; and what recipients may: no more messages.

-- CreateEnum
CREATE TYPE "opt_out_meaning" AS ENUM ('stop', 'start');

-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "scheduled_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "opt_outs" (
    "account_id" UUID NOT NULL,
    "kind" "channel_kind" NOT NULL,
    "sender" TEXT NOT NULL,
    "phone" TEXT NOT NULL,
    "keyword" TEXT,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "decided_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "opt_outs_pkey" PRIMARY KEY ("account_id","kind","sender","phone")
);

-- CreateTable
CREATE TABLE "opt_out_words" (
    "account_id" UUID NOT NULL,
    "word" TEXT NOT NULL,
    "meaning" "opt_out_meaning" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "opt_out_words_pkey" PRIMARY KEY ("account_id","word")
);

-- CreateTable
CREATE TABLE "fallbacks" (
    "message_id" UUID NOT NULL,
    "sms_id" UUID,
    "next_look" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "failures" SMALLINT NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "error_message" TEXT,

    CONSTRAINT "fallbacks_pkey" PRIMARY KEY ("message_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "fallbacks_sms_id_key" ON "fallbacks"("sms_id");

-- AddForeignKey
ALTER TABLE "opt_outs" ADD CONSTRAINT "opt_outs_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opt_out_words" ADD CONSTRAINT "opt_out_words_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand

-- What the runner of fallbacks looks for: rows leave it when they are done.
CREATE INDEX "fallbacks_due_idx" ON "fallbacks" ("next_look") WHERE "next_look" IS NOT NULL;

-- A sender ID as opt-outs name it, so that +1 (500) 555-0100 and 15005550100 are one sender.
CREATE FUNCTION opt_out_sender(sender text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN translate(sender, '+-() ', '');
