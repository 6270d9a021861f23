-- In which shape a webhook is told: in ours, or as Meta's Cloud API tells it.
CREATE TYPE "webhook_format" AS ENUM ('standard', 'meta');

ALTER TABLE "webhooks" ADD COLUMN "format" "webhook_format" NOT NULL DEFAULT 'standard';
ALTER TABLE "webhooks" ADD COLUMN "verify_token" TEXT;
