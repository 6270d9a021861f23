-- Finding the messages to a number among all that the store holds. docs/store.md tells what it costs, and why it is made so.
-- Processes of the version before are not affected. On a large table the second index takes about a minute for every ten
-- million messages, and nothing is accepted meanwhile.

-- The period of 70 minutes in which an id was made: ids are UUIDv7, which begin with the milliseconds since 1970. What is
-- ordered by it first is written in one place at a time, however numbers are spread.
CREATE FUNCTION message_period(id uuid) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  (get_byte(uuid_send(id), 0) << 18) | (get_byte(uuid_send(id), 1) << 10) | (get_byte(uuid_send(id), 2) << 2)
  | (get_byte(uuid_send(id), 3) >> 6);

-- An account and a number in four bytes: what has it may be another's, so both are compared as well.
CREATE FUNCTION number_key(account uuid, number text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN hashtext(number) # uuid_hash(account);

-- What is under way: the relay's index also tells the number, and is read whole for it. Its rows leave it soon.
DROP INDEX "messages_next_look_idx";
CREATE INDEX "messages_next_look_idx" ON "messages" ("priority", "next_look", number_key("account_id", "recipient"))
  WHERE "next_look" IS NOT NULL;

-- What has settled: written once for each message, by the update that settles it, which writes the primary key too.
CREATE INDEX "messages_number_idx" ON "messages" (message_period("id"), number_key("account_id", "recipient"), "id")
  WHERE "next_look" IS NULL;
