-- What Meta says of a number and of the account that it belongs to, and of templates between two syncs.
ALTER TABLE "channels" ADD COLUMN "standing" JSONB;
ALTER TABLE "templates" ADD COLUMN "quality" TEXT,
ADD COLUMN     "quality_at" TIMESTAMPTZ(3),
ADD COLUMN     "status_at" TIMESTAMPTZ(3),
ADD COLUMN     "category_at" TIMESTAMPTZ(3);
