-- Names of groups differ by more than case, form and blanks: what a person reads alike is one name. What is folded is said
-- here once; statements and the index ask the same function.

-- Letters in one normal form, and the final sigma as a sigma. PostgreSQL's lower() makes σ of every capital sigma, and its
-- normal forms are those of Unicode.
CREATE FUNCTION fold_letters(written text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN translate(normalize(written, NFC), 'ς', 'σ');

-- In one case, without what nobody sees (soft hyphen, zero-width blank, marks of direction, word joiner, byte order mark),
-- and with single blanks of one kind inside alone.
CREATE FUNCTION fold_name(written text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN btrim(regexp_replace(
  translate(fold_letters(lower(written)), U&'\00AD\200B\200E\200F\202A\202B\202C\202D\202E\2060\2066\2067\2068\2069\FEFF', ''),
  U&'[ \0009\00A0\1680\2000-\200A\202F\205F\3000]+', ' ', 'g'));

-- Of names that are alike from now on, the oldest group keeps it to itself; the others stay as they are, marked, until they
-- are renamed.
UPDATE "contact_groups" g SET "shares_name" = true
FROM (SELECT "id", row_number() OVER (PARTITION BY "channel_id", fold_name("name") ORDER BY "id") AS place
      FROM "contact_groups" WHERE NOT "shares_name") named
WHERE named."id" = g."id" AND named.place > 1;

DROP INDEX "contact_groups_lower_name_key";
CREATE UNIQUE INDEX "contact_groups_folded_name_key" ON "contact_groups" ("channel_id", fold_name("name"))
  WHERE NOT "shares_name";
