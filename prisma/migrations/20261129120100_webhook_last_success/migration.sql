-- When a try to deliver to the webhook last succeeded. A failure that ended before it says nothing about the webhook any more.
ALTER TABLE "webhooks" ADD COLUMN "last_success_at" TIMESTAMPTZ(3);
