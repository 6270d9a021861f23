-- The purpose of a message. Additive; NULL means the purpose that follows from the message's other columns (src/messages/compose/purpose.ts), so
-- existing rows need no update.
CREATE TYPE "message_purpose" AS ENUM ('verification', 'transactional', 'marketing');
ALTER TABLE "messages" ADD COLUMN     "purpose" "message_purpose";
