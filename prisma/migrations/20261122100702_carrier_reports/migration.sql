-- What each process that sends says of its carriers, for operators: a few rows, written at changes and every ten seconds.

-- CreateTable
CREATE TABLE "carrier_reports" (
    "process_id" UUID NOT NULL,
    "carrier" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT,
    "connections" JSONB NOT NULL,
    "rate_per_second" DOUBLE PRECISION NOT NULL,
    "in_hand" INTEGER NOT NULL,
    "last_error" TEXT,
    "last_error_at" TIMESTAMPTZ(3),
    "refreshed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "carrier_reports_pkey" PRIMARY KEY ("process_id","carrier")
);
