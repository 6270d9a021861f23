-- Conversations whose contact has just gone: messages that were accepted in the same moment are looked for once more.

-- CreateTable
CREATE TABLE "parted_conversations" (
    "id" UUID NOT NULL,
    "parted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "parted_conversations_pkey" PRIMARY KEY ("id")
);
