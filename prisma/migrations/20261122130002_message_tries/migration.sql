-- What became of the tries of a message that failed and are repeated. A message that its carrier takes at once has none.
-- Processes of the version before write none. The index of the
-- events that told webhooks of a message is made by 20261122193006.
-- Former text: sha256 064b8bc8b15dbe3c7af172ef0c4f8679f40c5093013ebb7758b01b923a90a455

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
