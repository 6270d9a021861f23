-- What placeholders of campaigns stand for, members without a value, and campaigns that pause. A campaign that is paused
-- keeps its status: a process of the version before does not know another one, and leaves alone what has no next_look.
ALTER TABLE "campaigns"
  ADD COLUMN "variables" JSONB,
  ADD COLUMN "skipped_count" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "paused_at" TIMESTAMPTZ(3);

CREATE TABLE "campaign_member_variables" (
    "campaign_id" UUID NOT NULL,
    "phone" TEXT NOT NULL,
    "variables" JSONB NOT NULL,

    CONSTRAINT "campaign_member_variables_pkey" PRIMARY KEY ("campaign_id", "phone"),
    CONSTRAINT "campaign_member_variables_campaign_id_fkey" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id")
      ON DELETE CASCADE ON UPDATE CASCADE
);
