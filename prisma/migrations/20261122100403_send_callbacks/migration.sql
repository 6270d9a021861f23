-- The secret that signs what is sent to the callback URLs of an account's sends, and the one before it.
ALTER TABLE "accounts"
  ADD COLUMN "callback_secret" TEXT,
  ADD COLUMN "callback_previous_secret" TEXT,
  ADD COLUMN "callback_previous_secret_expires_at" TIMESTAMPTZ(3);

-- Each host that callback URLs of an account name is an endpoint like a webhook, so that it has the same share of the
-- deliveries. It asks for no events, and no list of webhooks shows it.
ALTER TABLE "webhooks" ADD COLUMN "is_callback" BOOLEAN NOT NULL DEFAULT false;
CREATE UNIQUE INDEX "webhooks_callback_key" ON "webhooks" ("account_id", "url") WHERE "is_callback";

-- Of a callback: the URL of its send.
ALTER TABLE "webhook_deliveries" ADD COLUMN "url" TEXT;

-- The deliveries of a message's callbacks: an index that only these pay for.
CREATE TABLE "message_callbacks" (
    "message_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,

    CONSTRAINT "message_callbacks_pkey" PRIMARY KEY ("message_id","delivery_id")
);
