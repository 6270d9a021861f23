-- The id of a conversation that became part of another goes on meaning the conversation with the same person.

-- CreateTable
CREATE TABLE "merged_conversations" (
    "id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,

    CONSTRAINT "merged_conversations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "merged_conversations_conversation_id_idx" ON "merged_conversations"("conversation_id");

-- AddForeignKey
ALTER TABLE "merged_conversations" ADD CONSTRAINT "merged_conversations_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
