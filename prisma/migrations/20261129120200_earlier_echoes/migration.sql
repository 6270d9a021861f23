-- The list of messages starts at the newest message that a channel's number sent elsewhere. Channels that stored such messages before
-- "newest_echo_id" existed name none, so the list lacked these messages until the account's next ledger entry. The ID set here is
-- the lowest of the moment at which the channel's conversations last changed: each of these messages set the time of its conversation.
UPDATE "channels" c
SET "newest_echo_id" = (left(m."hex", 8) || '-' || right(m."hex", 4) || '-7000-8000-000000000000')::uuid
FROM (
  SELECT "channel_id", lpad(to_hex((extract(epoch FROM max("last_message_at")) * 1000)::bigint), 12, '0') AS "hex"
  FROM "conversations" GROUP BY "channel_id"
) m
WHERE m."channel_id" = c."id" AND c."kind" = 'whatsapp' AND c."newest_echo_id" IS NULL;
