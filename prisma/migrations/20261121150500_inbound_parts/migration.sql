-- Where the parts of a longer inbound SMS wait for each other: they may come over binds of different processes, and each
-- is answered as soon as it is stored.

-- CreateTable
CREATE TABLE "inbound_parts" (
    "carrier" TEXT NOT NULL,
    "sender" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "reference" INTEGER NOT NULL,
    "total" SMALLINT NOT NULL,
    "part" SMALLINT NOT NULL,
    "carrier_message_id" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbound_parts_pkey" PRIMARY KEY ("carrier","sender","recipient","reference","total","part")
);

-- What schema.prisma cannot say.
ALTER TABLE "inbound_parts"
  ADD CONSTRAINT "inbound_parts_part_check" CHECK ("part" BETWEEN 1 AND "total");
