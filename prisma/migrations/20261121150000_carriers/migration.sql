-- Carriers as rows, the routes that lead to them, what they must know of a channel, and the parts of messages.

-- AlterTable
ALTER TABLE "channels" ADD COLUMN     "carrier_settings" JSONB;

-- AlterTable
ALTER TABLE "early_receipts" ADD COLUMN     "next_look" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "carriers" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "settings" JSONB NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "carriers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "routes" (
    "id" UUID NOT NULL,
    "account_id" UUID,
    "calling_code" TEXT,
    "sender" TEXT,
    "carriers" TEXT[],
    "position" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "routes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_parts" (
    "message_id" UUID NOT NULL,
    "part" SMALLINT NOT NULL,
    "carrier" TEXT NOT NULL,
    "carrier_message_id" TEXT NOT NULL,
    "status" "message_status",
    "ended_at" TIMESTAMPTZ(3),
    "error_code" TEXT,
    "error_message" TEXT,

    CONSTRAINT "message_parts_pkey" PRIMARY KEY ("message_id","part")
);

-- CreateIndex
CREATE INDEX "early_receipts_next_look_idx" ON "early_receipts"("next_look");

-- CreateIndex
CREATE UNIQUE INDEX "carriers_name_key" ON "carriers"("name");

-- CreateIndex
CREATE INDEX "routes_account_id_idx" ON "routes"("account_id");

-- CreateIndex
CREATE INDEX "message_parts_carrier_carrier_message_id_idx" ON "message_parts"("carrier", "carrier_message_id");

-- AddForeignKey
ALTER TABLE "routes" ADD CONSTRAINT "routes_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What schema.prisma cannot say.
ALTER TABLE "carriers"
  ADD CONSTRAINT "carriers_name_check" CHECK ("name" ~ '^[a-z0-9-]{1,40}$' AND "name" <> 'simulator'),
  ADD CONSTRAINT "carriers_settings_check" CHECK (jsonb_typeof("settings") = 'object');
ALTER TABLE "channels"
  ADD CONSTRAINT "channels_carrier_settings_check" CHECK (jsonb_typeof("carrier_settings") = 'object');
ALTER TABLE "routes"
  ADD CONSTRAINT "routes_calling_code_check" CHECK ("calling_code" ~ '^[1-9][0-9]{0,14}$'),
  ADD CONSTRAINT "routes_carriers_check" CHECK (cardinality("carriers") BETWEEN 1 AND 16);
ALTER TABLE "message_parts"
  ADD CONSTRAINT "message_parts_part_check" CHECK ("part" >= 1);
-- The row grows a status and a time once: room on the page keeps that from touching its indexes.
ALTER TABLE "message_parts" SET (fillfactor = 80);
