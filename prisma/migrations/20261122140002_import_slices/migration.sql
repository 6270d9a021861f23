-- An import whose input comes in several requests: see ContactImportSlice in schema.prisma.

-- AlterTable
ALTER TABLE "contact_import_jobs" ADD COLUMN     "file_name" TEXT,
ADD COLUMN     "slices" INTEGER;

-- CreateTable
CREATE TABLE "contact_import_slices" (
    "job_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "input" TEXT NOT NULL,
    "is_done" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "contact_import_slices_pkey" PRIMARY KEY ("job_id","position")
);

-- AddForeignKey
ALTER TABLE "contact_import_slices" ADD CONSTRAINT "contact_import_slices_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "contact_import_jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "contact_import_jobs_channel_id_id_idx" ON "contact_import_jobs" ("channel_id", "id");
