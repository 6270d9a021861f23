-- The tables of prisma/schema.prisma as Prisma writes them; from "By hand" on, what its language cannot say.

-- CreateEnum
CREATE TYPE "channel_kind" AS ENUM ('sms', 'whatsapp');

-- CreateEnum
CREATE TYPE "message_status" AS ENUM ('queued', 'sending', 'sent', 'delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled');

-- CreateEnum
CREATE TYPE "surface" AS ENUM ('a', 'b');

-- CreateEnum
CREATE TYPE "ledger_kind" AS ENUM ('credit', 'charge', 'refund');

-- CreateEnum
CREATE TYPE "template_status" AS ENUM ('PENDING', 'APPROVED', 'REJECTED', 'PAUSED', 'DISABLED');

-- CreateTable
CREATE TABLE "rate_cards" (
    "id" TEXT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rate_cards_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rates" (
    "rate_card_id" TEXT NOT NULL,
    "kind" "channel_kind" NOT NULL,
    "calling_code" TEXT NOT NULL,
    "price_micros" BIGINT NOT NULL,

    CONSTRAINT "rates_pkey" PRIMARY KEY ("rate_card_id","kind","calling_code")
);

-- CreateTable
CREATE TABLE "accounts" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "rate_card_id" TEXT NOT NULL,
    "balance_micros" BIGINT NOT NULL DEFAULT 0,
    "balance_changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "surface" "surface" NOT NULL,
    "name" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "secret_hash" BYTEA,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key_channels" (
    "api_key_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,

    CONSTRAINT "api_key_channels_pkey" PRIMARY KEY ("api_key_id","channel_id")
);

-- CreateTable
CREATE TABLE "channels" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" "channel_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "phone_number" TEXT NOT NULL,
    "carrier" TEXT NOT NULL,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "health_status" TEXT NOT NULL DEFAULT 'healthy',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "channels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "templates" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "language" TEXT NOT NULL,
    "category" TEXT NOT NULL,
    "status" "template_status" NOT NULL,
    "components" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "templates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "valid_until" TIMESTAMPTZ(3) NOT NULL,
    "next_look" TIMESTAMPTZ(3),
    "not_before" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "sending_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "read_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "price_micros" BIGINT NOT NULL,
    "surface" "surface" NOT NULL,
    "kind" "channel_kind" NOT NULL,
    "status" "message_status" NOT NULL DEFAULT 'queued',
    "priority" SMALLINT NOT NULL,
    "parts" SMALLINT NOT NULL,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "look_count" SMALLINT NOT NULL DEFAULT 0,
    "refunded" BOOLEAN NOT NULL DEFAULT false,
    "maybe_accepted" BOOLEAN NOT NULL DEFAULT false,
    "recipient_plus" BOOLEAN NOT NULL DEFAULT false,
    "carrier" TEXT NOT NULL,
    "sender" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "content" JSONB,
    "carrier_message_id" TEXT,
    "error_code" TEXT,
    "error_message" TEXT,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "carrier_references" (
    "carrier" TEXT NOT NULL,
    "carrier_message_id" TEXT NOT NULL,
    "message_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "carrier_references_pkey" PRIMARY KEY ("carrier","carrier_message_id")
);

-- CreateTable
CREATE TABLE "early_receipts" (
    "id" BIGSERIAL NOT NULL,
    "carrier" TEXT NOT NULL,
    "carrier_message_id" TEXT NOT NULL,
    "message_id" UUID,
    "status" "message_status" NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "error_code" TEXT,
    "error_message" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "early_receipts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entries" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" "ledger_kind" NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "balance_after_micros" BIGINT NOT NULL,
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "account_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "message_ids" UUID[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("account_id","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "api_keys_account_id_idx" ON "api_keys"("account_id");

-- CreateIndex
CREATE INDEX "api_key_channels_channel_id_idx" ON "api_key_channels"("channel_id");

-- CreateIndex
CREATE UNIQUE INDEX "channels_account_id_kind_phone_number_key" ON "channels"("account_id", "kind", "phone_number");

-- CreateIndex
CREATE INDEX "templates_account_id_name_idx" ON "templates"("account_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "templates_channel_id_name_language_key" ON "templates"("channel_id", "name", "language");

-- CreateIndex
CREATE INDEX "carrier_references_created_at_idx" ON "carrier_references" USING BRIN ("created_at");

-- CreateIndex
CREATE INDEX "early_receipts_carrier_carrier_message_id_idx" ON "early_receipts"("carrier", "carrier_message_id");

-- CreateIndex
CREATE INDEX "ledger_entries_account_id_id_idx" ON "ledger_entries"("account_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "rates" ADD CONSTRAINT "rates_rate_card_id_fkey" FOREIGN KEY ("rate_card_id") REFERENCES "rate_cards"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_rate_card_id_fkey" FOREIGN KEY ("rate_card_id") REFERENCES "rate_cards"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key_channels" ADD CONSTRAINT "api_key_channels_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key_channels" ADD CONSTRAINT "api_key_channels_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "templates" ADD CONSTRAINT "templates_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "templates" ADD CONSTRAINT "templates_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: rules that hold whatever a program does.
ALTER TABLE "rate_cards"
  ADD CONSTRAINT "rate_cards_currency_check" CHECK ("currency" ~ '^[A-Z]{3}$');
ALTER TABLE "rates"
  ADD CONSTRAINT "rates_price_micros_check" CHECK ("price_micros" >= 0),
  ADD CONSTRAINT "rates_calling_code_check" CHECK ("calling_code" ~ '^([1-9][0-9]{0,6})?$');
ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_currency_check" CHECK ("currency" ~ '^[A-Z]{3}$'),
  ADD CONSTRAINT "accounts_balance_micros_check" CHECK ("balance_micros" >= 0);
ALTER TABLE "messages"
  ADD CONSTRAINT "messages_priority_check" CHECK ("priority" BETWEEN 0 AND 3),
  ADD CONSTRAINT "messages_parts_check" CHECK ("parts" >= 1);

-- One default channel for each account and kind; a channel that is not the default is not limited.
CREATE UNIQUE INDEX "channels_default_key" ON "channels" ("account_id", "kind") WHERE "is_default";

-- What the relay must look at again, highest priority first. Rows leave it with their final status, so it stays as small
-- as what is under way, however many rows the table has. With the primary key the only index: every further one costs
-- each insert.
CREATE INDEX "messages_next_look_idx" ON "messages" ("priority", "next_look") WHERE "next_look" IS NOT NULL;

-- A message is updated three times soon after its insert: the free half of each page takes the new versions, so that an
-- update which leaves next_look as it is writes no index (HOT), and dead versions are pruned within the page.
-- At a hundred million rows the default scale factors would wait for twenty million dead rows; the cost limit lets a
-- vacuum of a table of that size end within its day.
ALTER TABLE "messages" SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_cost_limit = 2000
);

-- Few rows, and one update per account in every group commit: half-empty pages keep those updates within their page.
ALTER TABLE "accounts" SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000
);

-- By hand: what every installation begins with. An account without a rate card of its own gets this one: 0.01 USD for
-- each SMS part and each WhatsApp message, to any country.
INSERT INTO "rate_cards" ("id", "currency") VALUES ('standard', 'USD');
INSERT INTO "rates" ("rate_card_id", "kind", "calling_code", "price_micros") VALUES
  ('standard', 'sms', '', 10000),
  ('standard', 'whatsapp', '', 10000);
