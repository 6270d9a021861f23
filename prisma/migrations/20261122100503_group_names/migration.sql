-- Names of groups differ by more than case. Of those that do not, the oldest keeps the name to itself; the others stay as
-- they are, marked, until they are renamed.

-- AlterTable
ALTER TABLE "contact_groups" ADD COLUMN     "shares_name" BOOLEAN NOT NULL DEFAULT false;

-- By hand
UPDATE "contact_groups" g SET "shares_name" = true
WHERE EXISTS (SELECT FROM "contact_groups" older
              WHERE older."channel_id" = g."channel_id" AND lower(older."name") = lower(g."name") AND older."id" < g."id");

CREATE UNIQUE INDEX "contact_groups_lower_name_key" ON "contact_groups" ("channel_id", lower("name"))
  WHERE NOT "shares_name";
