-- Campaigns to several groups, audiences and lists of numbers. Existing campaigns keep their group and need no rows. Constant defaults: filled tables
-- are not rewritten.
ALTER TABLE "campaigns" ALTER COLUMN "group_id" DROP NOT NULL;
ALTER TABLE "campaigns" ADD COLUMN     "group_ids" UUID[] NOT NULL DEFAULT '{}';
ALTER TABLE "campaigns" ADD COLUMN     "audience_ids" UUID[] NOT NULL DEFAULT '{}';
ALTER TABLE "campaigns" ADD COLUMN     "listed_count" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "campaigns" ADD COLUMN     "gathering" TEXT;
ALTER TABLE "campaigns" ADD COLUMN     "gathered_to" UUID;

CREATE TABLE "campaign_recipients" (
    "campaign_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "from_group" BOOLEAN NOT NULL,

    CONSTRAINT "campaign_recipients_pkey" PRIMARY KEY ("campaign_id","contact_id")
);

CREATE INDEX "campaign_recipients_contact_id_idx" ON "campaign_recipients"("contact_id");

ALTER TABLE "campaign_recipients" ADD CONSTRAINT "campaign_recipients_campaign_id_fkey" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "campaign_recipients" ADD CONSTRAINT "campaign_recipients_contact_id_fkey" FOREIGN KEY ("contact_id") REFERENCES "contacts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
