-- Keywords are compared as a search compares texts: in one case and one normal form, and a final sigma is a sigma. Of those
-- that are one by this, the oldest has the word to itself; the others stay as they are, marked, and are still found by
-- their own spelling until their keyword is changed.

-- AlterTable
ALTER TABLE "automations" ADD COLUMN     "shares_keyword" BOOLEAN NOT NULL DEFAULT false;

-- By hand
CREATE FUNCTION keyword_key(keyword text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN translate(normalize(lower(keyword), NFC), 'ς', 'σ');

UPDATE "automations" a SET "shares_keyword" = true
WHERE EXISTS (SELECT FROM "automations" older
              WHERE older."channel_id" = a."channel_id" AND older."id" < a."id"
                AND keyword_key(older."keyword") = keyword_key(a."keyword"));

DROP INDEX "automations_keyword_key";
CREATE UNIQUE INDEX "automations_keyword_key" ON "automations" ("channel_id", keyword_key("keyword"))
  WHERE NOT "shares_keyword" AND "keyword" IS NOT NULL;
