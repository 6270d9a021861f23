-- A channel that its carrier refuses to send for: its messages wait until an operator resumes it.

-- AlterTable
ALTER TABLE "channels" ADD COLUMN     "pause_code" TEXT,
ADD COLUMN     "pause_reason" TEXT,
ADD COLUMN     "paused_at" TIMESTAMPTZ(3),
ADD COLUMN     "resumed_at" TIMESTAMPTZ(3);
