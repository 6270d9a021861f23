-- Variants of a campaign, the test that chooses one of them, and the variant of each message. Additive; NULL means that there
-- are none.
ALTER TABLE "campaigns" ADD COLUMN     "variants" JSONB;
ALTER TABLE "campaigns" ADD COLUMN     "test" JSONB;
ALTER TABLE "campaigns" ADD COLUMN     "test_ends_at" TIMESTAMPTZ(3);
ALTER TABLE "campaigns" ADD COLUMN     "winner" SMALLINT;
ALTER TABLE "campaigns" ADD COLUMN     "winner_reason" TEXT;
ALTER TABLE "messages" ADD COLUMN     "campaign_variant" SMALLINT;
