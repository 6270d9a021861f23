-- What became of the tries of a message that failed and are repeated. A message that its carrier takes at once has none.
-- Processes of the version before write none.

-- CreateTable
CREATE TABLE "message_tries" (
    "message_id" UUID NOT NULL,
    "attempt" SMALLINT NOT NULL,
    "failed_at" TIMESTAMPTZ(3) NOT NULL,
    "error_code" TEXT NOT NULL,
    "error_message" TEXT NOT NULL,
    "maybe_accepted" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "message_tries_pkey" PRIMARY KEY ("message_id", "attempt")
);

-- By hand: which events told webhooks and callback URLs of a message. Written with each such event, and by nothing else.
CREATE INDEX "webhook_deliveries_message_idx" ON "webhook_deliveries" ((("data" ->> 'messageId')::uuid))
  WHERE "type" = 'message.status';
