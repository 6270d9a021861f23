-- Members that a campaign has, counted when it begins: how many are left, and what a cancel kept back.
ALTER TABLE "campaigns" ADD COLUMN "member_count" INTEGER;
