-- What came of each try, for whoever looks why an event did not arrive.
ALTER TABLE "webhook_deliveries" ADD COLUMN "tries" JSONB;
