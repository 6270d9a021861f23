-- How many messages of its contact nobody has marked as read. Those from before count as read.

-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "unread_count" INTEGER NOT NULL DEFAULT 0;

-- By hand: those of a channel that have some, in the order of the list. A row leaves it when it is marked as read.
CREATE INDEX "conversations_unread_idx" ON "conversations" ("channel_id", "last_message_at" DESC, "id" DESC)
  WHERE "unread_count" > 0;
