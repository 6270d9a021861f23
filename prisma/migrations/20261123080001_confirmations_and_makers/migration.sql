-- When the operator of a session has last proved who they are, beside its beginning.
ALTER TABLE "operator_sessions" ADD COLUMN "confirmed_at" TIMESTAMPTZ(3);

-- Which operator made a key, an app or a webhook; null: the command, an API, or nobody noted it.
ALTER TABLE "api_keys" ADD COLUMN "made_by_id" UUID, ADD COLUMN "made_by_name" TEXT;
ALTER TABLE "webhooks" ADD COLUMN "made_by_id" UUID, ADD COLUMN "made_by_name" TEXT;
