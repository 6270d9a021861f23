-- What carriers report by calling us, from the moment it is acknowledged until it is worked off.

-- CreateTable
CREATE TABLE "carrier_callbacks" (
    "id" BIGSERIAL NOT NULL,
    "carrier" TEXT NOT NULL,
    "body" BYTEA NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "set_aside_at" TIMESTAMPTZ(3),

    CONSTRAINT "carrier_callbacks_pkey" PRIMARY KEY ("id")
);

-- What schema.prisma cannot say. Rows live for less than a second, thousands of them in each: the table stays small only
-- if they are swept up as fast, and they are read from the end of the index where the dead ones lie.
ALTER TABLE "carrier_callbacks" SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0
);
