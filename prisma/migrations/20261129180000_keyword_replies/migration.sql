-- Replies to STOP, START and HELP: the settings of accounts and channels, the mark of replies that ignore an opt-out, and the result for each inbound
-- message. Additive; NULL means that replies are off.
ALTER TABLE "accounts" ADD COLUMN     "keyword_replies" JSONB;
ALTER TABLE "channels" ADD COLUMN     "keyword_replies" JSONB;
ALTER TABLE "messages" ADD COLUMN     "ignores_opt_out" BOOLEAN;
ALTER TABLE "inbound_messages" ADD COLUMN     "keyword_reply" JSONB;
