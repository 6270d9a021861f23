-- What people change and take back of what they wrote.
ALTER TABLE "inbound_messages" ADD COLUMN "edited_at" TIMESTAMPTZ(3),
ADD COLUMN     "revoked_at" TIMESTAMPTZ(3);
