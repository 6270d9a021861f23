-- Imports of contacts that came over HTTP and are worked off in the background.

-- CreateEnum
CREATE TYPE "import_status" AS ENUM ('queued', 'running', 'completed', 'failed');

-- CreateTable
CREATE TABLE "contact_import_jobs" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID NOT NULL,
    "group_id" UUID,
    "update" BOOLEAN NOT NULL DEFAULT false,
    "status" "import_status" NOT NULL DEFAULT 'queued',
    "delimiter" TEXT,
    "input" TEXT NOT NULL,
    "total_rows" INTEGER,
    "rows" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "present" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "refused_rows" JSONB NOT NULL DEFAULT '[]',
    "error_message" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_look" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "contact_import_jobs_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "contact_import_jobs" ADD CONSTRAINT "contact_import_jobs_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: what the importer looks for. Rows leave it when they are done.
CREATE INDEX "contact_import_jobs_due_idx" ON "contact_import_jobs" ("next_look") WHERE "next_look" IS NOT NULL;
