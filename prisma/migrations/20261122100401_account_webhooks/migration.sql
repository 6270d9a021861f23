-- A webhook without a channel is told of the whole account. Processes of the version before look for webhooks by channel
-- only and so never read such a row.
ALTER TABLE "webhooks" ALTER COLUMN "channel_id" DROP NOT NULL;
