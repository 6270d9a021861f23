-- The step of a trace (W3C Trace Context) in which a message was accepted; NULL: it is not traced.
ALTER TABLE "messages" ADD COLUMN "traceparent" TEXT;

-- The same, of the message that a delivery tells of.
ALTER TABLE "webhook_deliveries" ADD COLUMN "traceparent" TEXT;
