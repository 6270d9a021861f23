-- First and last names, tags, and fields that an account defines. Additive; a process of the version before ignores them.

-- CreateEnum
CREATE TYPE "contact_field_type" AS ENUM ('text', 'number', 'date', 'boolean', 'choice');

-- AlterTable
ALTER TABLE "contacts" ADD COLUMN     "fields" JSONB,
ADD COLUMN     "first_name" TEXT,
ADD COLUMN     "last_name" TEXT,
ADD COLUMN     "tags" TEXT[];

-- AlterTable
ALTER TABLE "contact_import_jobs" ADD COLUMN     "field_columns" JSONB,
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "contact_fields" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "type" "contact_field_type" NOT NULL,
    "choices" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "contact_fields_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_tags" (
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_tags_pkey" PRIMARY KEY ("account_id","name")
);

-- CreateIndex
CREATE UNIQUE INDEX "contact_fields_account_id_key_key" ON "contact_fields"("account_id", "key");

-- AddForeignKey
ALTER TABLE "contact_fields" ADD CONSTRAINT "contact_fields_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_tags" ADD CONSTRAINT "contact_tags_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: the search finds first and last names. Contacts without them keep their search text.
CREATE OR REPLACE FUNCTION contact_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search := lower(NEW.name || E'\n' || coalesce(NEW.phone, '') || E'\n' || NEW.email
    || coalesce(E'\n@' || NEW.username, '') || coalesce(E'\n' || NEW.user_id, '')
    || coalesce(E'\n' || NEW.first_name, '') || coalesce(E'\n' || NEW.last_name, ''));
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "contacts_search"
  BEFORE INSERT OR UPDATE OF "name", "phone", "email", "username", "user_id", "first_name", "last_name" ON "contacts"
  FOR EACH ROW EXECUTE FUNCTION contact_search();

-- Hashes of a contact's tags and field values, each together with its channel, so that other channels' contacts cost
-- nothing. The functions used are PostgreSQL's own, because ANALYZE looks in no other schema.
CREATE FUNCTION contact_marks(channel uuid, tags text[], fields jsonb) RETURNS int[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  seed bigint := uuid_hash_extended(channel, 0);
BEGIN
  RETURN ARRAY(
    SELECT hashtextextended('t' || tag, seed)::bit(32)::int FROM unnest(tags) AS tag
    UNION ALL
    SELECT hashtextextended('f' || key || E'\n' || value, seed)::bit(32)::int FROM jsonb_each_text(fields));
END $$;
