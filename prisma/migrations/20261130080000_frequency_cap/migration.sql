-- The most marketing messages per number. Nullable columns and a constant default: filled tables are not rewritten.
ALTER TABLE "accounts" ADD COLUMN     "frequency_cap" JSONB;
ALTER TABLE "campaigns" ADD COLUMN     "capped_count" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "messages" ADD COLUMN     "is_capped" BOOLEAN;
