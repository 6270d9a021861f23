-- People who write on WhatsApp without a telephone number: they are known by the ids that Meta gives them.

-- AlterTable
ALTER TABLE "contacts" ALTER COLUMN "phone" DROP NOT NULL,
ADD COLUMN     "phone_at" TIMESTAMPTZ(3),
ADD COLUMN     "user_id" TEXT,
ADD COLUMN     "user_id_at" TIMESTAMPTZ(3),
ADD COLUMN     "parent_user_id" TEXT,
ADD COLUMN     "username" TEXT;

-- CreateTable
CREATE TABLE "contact_identities" (
    "channel_id" UUID NOT NULL,
    "portfolio" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "is_parent" BOOLEAN NOT NULL,
    "contact_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_identities_pkey" PRIMARY KEY ("channel_id","portfolio","user_id")
);

-- CreateTable
CREATE TABLE "merged_contacts" (
    "id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "merged_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "merged_contacts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "campaign_stragglers" (
    "campaign_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,

    CONSTRAINT "campaign_stragglers_pkey" PRIMARY KEY ("campaign_id","contact_id")
);

-- CreateIndex
CREATE INDEX "campaign_stragglers_contact_id_idx" ON "campaign_stragglers"("contact_id");

-- CreateIndex
CREATE INDEX "contact_identities_contact_id_idx" ON "contact_identities"("contact_id");

-- CreateIndex
CREATE INDEX "merged_contacts_contact_id_idx" ON "merged_contacts"("contact_id");

-- AddForeignKey
ALTER TABLE "contact_identities" ADD CONSTRAINT "contact_identities_contact_id_fkey" FOREIGN KEY ("contact_id") REFERENCES "contacts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merged_contacts" ADD CONSTRAINT "merged_contacts_contact_id_fkey" FOREIGN KEY ("contact_id") REFERENCES "contacts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaign_stragglers" ADD CONSTRAINT "campaign_stragglers_campaign_id_fkey" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaign_stragglers" ADD CONSTRAINT "campaign_stragglers_contact_id_fkey" FOREIGN KEY ("contact_id") REFERENCES "contacts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: what a search looks at holds the username and the id too, and is there where there is no number. A generated
-- column with another expression would be another column, whose values would be written for all rows under a lock; so it
-- becomes a plain one, which keeps what it holds, and a trigger fills it from now on.
ALTER TABLE "contacts" ALTER COLUMN "search" DROP EXPRESSION;

CREATE FUNCTION contact_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search := lower(NEW.name || E'\n' || coalesce(NEW.phone, '') || E'\n' || NEW.email
    || coalesce(E'\n@' || NEW.username, '') || coalesce(E'\n' || NEW.user_id, ''));
  RETURN NEW;
END $$;

CREATE TRIGGER "contacts_search" BEFORE INSERT OR UPDATE OF "name", "phone", "email", "username", "user_id" ON "contacts"
  FOR EACH ROW EXECUTE FUNCTION contact_search();
