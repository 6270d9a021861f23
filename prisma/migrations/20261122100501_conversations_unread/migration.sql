-- How many messages of its contact nobody has marked as read. Those from before count as read. The index of those that
-- have some is made by 20261122193004.
-- Former text: sha256 2401ed2f352427449595b9f2ba31062440ec037b791e48d2de3f53757f13c1f4

-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "unread_count" INTEGER NOT NULL DEFAULT 0;
