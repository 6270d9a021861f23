-- The API key whose request caused a message. Fallbacks must pass that key's spending guard. Older messages have NULL.
ALTER TABLE "messages" ADD COLUMN "key_id" UUID;

-- The API key that last set a webhook's URL. Replies in TwiML from that URL must pass its spending guard.
ALTER TABLE "webhooks" ADD COLUMN "key_id" UUID;
