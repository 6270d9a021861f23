-- channels_number_key has taken its place.
DROP INDEX CONCURRENTLY IF EXISTS "channels_account_id_kind_phone_number_key";
