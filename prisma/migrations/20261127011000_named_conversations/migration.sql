-- Conversations that messages are about to name before they are there: should a process die in between, they are made later.

-- CreateTable
CREATE TABLE "named_conversations" (
    "id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "named_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "named_conversations_pkey" PRIMARY KEY ("id")
);
