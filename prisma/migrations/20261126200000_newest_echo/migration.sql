-- Messages that were sent elsewhere have no line in the ledger, by which the list of messages knows where there is nothing to look at.
ALTER TABLE "channels" ADD COLUMN "newest_echo_id" UUID;
