-- Surface B: contacts, groups, conversations, inbound messages, campaigns, automations, webhooks and usage.

-- CreateEnum
CREATE TYPE "campaign_status" AS ENUM ('scheduled', 'running', 'completed', 'canceled', 'failed');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('running', 'waiting', 'completed', 'failed');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'delivered', 'failed');

-- AlterTable
ALTER TABLE "channels" ADD COLUMN     "contact_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "campaign_id" UUID,
ADD COLUMN     "contact_id" UUID,
ADD COLUMN     "conversation_id" UUID;

-- CreateTable
CREATE TABLE "contacts" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "phone" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "email" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "search" TEXT GENERATED ALWAYS AS (lower("name" || E'\n' || "phone" || E'\n' || "email")) STORED,

    CONSTRAINT "contacts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_imports" (
    "channel_id" UUID NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "rows" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "present" INTEGER NOT NULL DEFAULT 0,
    "repeated" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "refused_bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "contact_imports_pkey" PRIMARY KEY ("channel_id","fingerprint")
);

-- CreateTable
CREATE TABLE "contact_groups" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "contact_count" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "group_members" (
    "group_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "group_members_pkey" PRIMARY KEY ("group_id","contact_id")
);

-- CreateTable
CREATE TABLE "conversations" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "last_inbound_at" TIMESTAMPTZ(3),
    "last_message_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conversations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbound_messages" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "conversation_id" UUID,
    "carrier_message_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbound_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "campaigns" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "status" "campaign_status" NOT NULL,
    "template_name" TEXT NOT NULL,
    "language" TEXT NOT NULL,
    "components" JSONB NOT NULL,
    "group_id" UUID NOT NULL,
    "scheduled_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cursor" UUID,
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "error_message" TEXT,
    "members_at" TIMESTAMPTZ(3),
    "next_look" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "counts" JSONB,
    "counted_at" TIMESTAMPTZ(3),

    CONSTRAINT "campaigns_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automations" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "steps" JSONB NOT NULL,
    "keyword" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "automations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automation_runs" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "automation_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "status" "run_status" NOT NULL,
    "steps" JSONB NOT NULL,
    "variables" JSONB NOT NULL,
    "step" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "error_message" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "automation_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(3),
    "last_status_code" INTEGER,
    "last_error" TEXT,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "last_attempt_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_requests" (
    "id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "endpoint" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "status_code" INTEGER NOT NULL,
    "response_time" DOUBLE PRECISION NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "api_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_minutes" (
    "channel_id" UUID NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "requests" INTEGER NOT NULL,

    CONSTRAINT "usage_minutes_pkey" PRIMARY KEY ("channel_id","minute")
);

-- CreateTable
CREATE TABLE "usage_totals" (
    "channel_id" UUID NOT NULL,
    "total" BIGINT NOT NULL,
    "month" DATE NOT NULL,
    "month_requests" BIGINT NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "usage_totals_pkey" PRIMARY KEY ("channel_id")
);

-- CreateIndex
CREATE INDEX "contacts_channel_id_id_idx" ON "contacts"("channel_id", "id") INCLUDE ("search");

-- CreateIndex
CREATE UNIQUE INDEX "contacts_channel_id_phone_key" ON "contacts"("channel_id", "phone");

-- CreateIndex
CREATE UNIQUE INDEX "contact_groups_channel_id_name_key" ON "contact_groups"("channel_id", "name");

-- CreateIndex
CREATE INDEX "group_members_contact_id_idx" ON "group_members"("contact_id");

-- CreateIndex
CREATE UNIQUE INDEX "conversations_contact_id_key" ON "conversations"("contact_id");

-- CreateIndex
CREATE INDEX "conversations_channel_id_last_message_at_id_idx" ON "conversations"("channel_id", "last_message_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "inbound_messages_conversation_id_id_idx" ON "inbound_messages"("conversation_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "inbound_messages_channel_id_carrier_message_id_key" ON "inbound_messages"("channel_id", "carrier_message_id");

-- CreateIndex
CREATE INDEX "campaigns_channel_id_id_idx" ON "campaigns"("channel_id", "id");

-- CreateIndex
CREATE INDEX "automations_channel_id_id_idx" ON "automations"("channel_id", "id");

-- CreateIndex
CREATE INDEX "automation_runs_automation_id_id_idx" ON "automation_runs"("automation_id", "id");

-- CreateIndex
CREATE INDEX "automation_runs_contact_id_idx" ON "automation_runs"("contact_id");

-- CreateIndex
CREATE INDEX "webhooks_account_id_idx" ON "webhooks"("account_id");

-- CreateIndex
CREATE INDEX "webhooks_channel_id_id_idx" ON "webhooks"("channel_id", "id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_id_idx" ON "webhook_deliveries"("webhook_id", "id");

-- CreateIndex
CREATE INDEX "api_requests_channel_id_created_at_idx" ON "api_requests"("channel_id", "created_at");

-- AddForeignKey
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_imports" ADD CONSTRAINT "contact_imports_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_groups" ADD CONSTRAINT "contact_groups_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "contact_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_contact_id_fkey" FOREIGN KEY ("contact_id") REFERENCES "contacts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_contact_id_fkey" FOREIGN KEY ("contact_id") REFERENCES "contacts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_messages" ADD CONSTRAINT "inbound_messages_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automations" ADD CONSTRAINT "automations_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_contact_id_fkey" FOREIGN KEY ("contact_id") REFERENCES "contacts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- By hand: what the schema cannot express.

-- A UUIDv7 (RFC 9562 §5.7) for rows that a statement makes out of other rows. PostgreSQL has uuidv7() only since 18.
CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
            PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
            FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid
$$;

-- The messages of Surface B only, so that those of Surface A pay nothing for them.
CREATE INDEX "messages_conversation_idx" ON "messages" ("conversation_id", "id") WHERE "conversation_id" IS NOT NULL;
CREATE INDEX "messages_campaign_idx" ON "messages" ("campaign_id", "id") WHERE "campaign_id" IS NOT NULL;

-- Contacts are searched for a part of their name, number or e-mail address, whatever its case. The separator keeps a
-- search from matching across two of them: it is a character that none of them can hold. Common terms go by the index of
-- the list's own order, where the text lies beside the id; rare ones by the index of all groups of three characters in
-- it, each hashed together with its channel, so that other channels' matches cost nothing. Unlike pg_trgm this knows
-- every alphabet and punctuation under every locale, and needs no extension. Where many contacts match but hardly any of
-- the newest, the periods in which a contact was made lead to those that do: 256 ms, 64 of those, and so on, in six
-- lengths of which the longest is nine years; ids are UUIDv7, which begin with the time. These functions call none but
-- PostgreSQL's own, for ANALYZE looks in no other schema.
CREATE FUNCTION contact_keys(channel uuid, id uuid, search text) RETURNS int[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  seed bigint := uuid_hash_extended(channel, 0);
  period bigint := ('x' || substr(id::text, 1, 8) || substr(id::text, 10, 4))::bit(48)::bigint >> 8;
  keys int[] := '{}';
BEGIN
  FOR start IN 1 .. length(search) - 2 LOOP
    keys := keys || hashtextextended(substr(search, start, 3), seed)::bit(32)::int;
  END LOOP;
  -- A term that is searched for has no id.
  IF id IS NOT NULL THEN
    FOR step IN 0 .. 5 LOOP
      keys := keys || hashint8extended((step::bigint << 48) | period, seed)::bit(32)::int;
      period := period >> 6;
    END LOOP;
  END IF;
  RETURN keys;
END $$;

-- The periods that cover all time from the first id to the last one, and seldom more.
CREATE FUNCTION contact_periods(channel uuid, first uuid, last uuid) RETURNS int[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  seed bigint := uuid_hash_extended(channel, 0);
  period bigint := ('x' || substr(first::text, 1, 8) || substr(first::text, 10, 4))::bit(48)::bigint >> 8;
  latest bigint := ('x' || substr(last::text, 1, 8) || substr(last::text, 10, 4))::bit(48)::bigint >> 8;
  periods int[] := '{}';
BEGIN
  FOR step IN 0 .. 5 LOOP
    WHILE period <= latest AND (step = 5 OR period % 64 <> 0) LOOP
      periods := periods || hashint8extended((step::bigint << 48) | period, seed)::bit(32)::int;
      period := period + 1;
    END LOOP;
    EXIT WHEN period > latest;
    period := period >> 6;
    latest := latest >> 6;
  END LOOP;
  RETURN periods;
END $$;

-- A short list of pending entries, for every search reads all of it.
CREATE INDEX "contacts_search_idx" ON "contacts" USING gin (contact_keys("channel_id", "id", "search"))
  WITH (gin_pending_list_limit = 512);

-- What the workers of each look for: rows leave these indexes when they are done.
CREATE INDEX "campaigns_due_idx" ON "campaigns" ("next_look") WHERE "next_look" IS NOT NULL;
CREATE INDEX "automation_runs_due_idx" ON "automation_runs" ("due_at") WHERE "due_at" IS NOT NULL;
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries" ("webhook_id", "next_attempt_at")
  WHERE "next_attempt_at" IS NOT NULL;

-- One automation of a channel for each keyword.
CREATE UNIQUE INDEX "automations_keyword_key" ON "automations" ("channel_id", lower("keyword")) WHERE "keyword" IS NOT NULL;

-- The rows of these two are updated or deleted soon after their insert, as those of messages are.
ALTER TABLE "webhook_deliveries" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
ALTER TABLE "usage_totals" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "usage_minutes" SET (fillfactor = 70);
ALTER TABLE "channels" SET (fillfactor = 50);
