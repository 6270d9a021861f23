-- Finding the messages to a number among all that the store holds. docs/store.md tells what it costs, and why it is made so.
-- Its indexes are made by 20261122193001 and 20261122193002.
-- Former text: sha256 9f887ddf7376398310e2c61d8453bf3e144799967280332d0183a0cc93cec8f5

-- The period of 70 minutes in which an id was made: ids are UUIDv7, which begin with the milliseconds since 1970. What is
-- ordered by it first is written in one place at a time, however numbers are spread.
CREATE FUNCTION message_period(id uuid) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  (get_byte(uuid_send(id), 0) << 18) | (get_byte(uuid_send(id), 1) << 10) | (get_byte(uuid_send(id), 2) << 2)
  | (get_byte(uuid_send(id), 3) >> 6);

-- An account and a number in four bytes: what has it may be another's, so both are compared as well.
CREATE FUNCTION number_key(account uuid, number text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN hashtext(number) # uuid_hash(account);
