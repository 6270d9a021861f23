-- The names of all columns of an imported file, with which its refused rows come back.
ALTER TABLE "contact_import_jobs" ADD COLUMN "columns" TEXT[] DEFAULT ARRAY[]::TEXT[];
