-- What a sender notes on its messages. Columns that are null take no room in a row, and none is indexed here: an index on
-- messages is paid by every message (docs/store.md).
ALTER TABLE "messages"
  ADD COLUMN "reference" TEXT,
  ADD COLUMN "metadata" JSONB,
  ADD COLUMN "callback_url" TEXT,
  ADD COLUMN "callback_id" UUID;

-- Finds messages by their reference; only those that have one are in it.
CREATE TABLE "message_references" (
    "account_id" UUID NOT NULL,
    "reference" TEXT NOT NULL,
    "message_id" UUID NOT NULL,

    CONSTRAINT "message_references_pkey" PRIMARY KEY ("account_id","reference","message_id")
);
