-- How many messages of its answer in TwiML a delivery has sent: it may be replayed for longer than a key is kept. Additive.
ALTER TABLE "webhook_deliveries" ADD COLUMN     "replies_sent" SMALLINT NOT NULL DEFAULT 0;
