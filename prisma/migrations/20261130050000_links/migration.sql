-- Short links of messages, with counts of clicks. Additive; a process of the version before ignores them.

-- AlterTable
ALTER TABLE "campaigns" ADD COLUMN     "shorten_links" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "links" (
    "code" TEXT NOT NULL,
    "message_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "channel_id" UUID,
    "campaign_id" UUID,
    "target" TEXT NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "bot_clicks" INTEGER NOT NULL DEFAULT 0,
    "first_clicked_at" TIMESTAMPTZ(3),
    "last_clicked_at" TIMESTAMPTZ(3),
    "last_batch" UUID,

    CONSTRAINT "links_pkey" PRIMARY KEY ("code")
);

-- CreateTable
CREATE TABLE "expired_links" (
    "code" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "expired_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "expired_links_pkey" PRIMARY KEY ("code")
);

-- CreateTable
CREATE TABLE "link_settings" (
    "account_id" UUID NOT NULL,
    "is_on" BOOLEAN NOT NULL DEFAULT false,
    "host" TEXT,
    "token" TEXT,
    "verified_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),

    CONSTRAINT "link_settings_pkey" PRIMARY KEY ("account_id")
);

-- CreateIndex
CREATE INDEX "links_message_id_idx" ON "links"("message_id");

-- CreateIndex
CREATE INDEX "expired_links_expired_at_idx" ON "expired_links"("expired_at");

-- AddForeignKey
ALTER TABLE "link_settings" ADD CONSTRAINT "link_settings_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: the links of a campaign that people clicked. Later clicks change no column of the index.
CREATE INDEX "links_clicked_idx" ON "links"("campaign_id", "message_id") WHERE "first_clicked_at" IS NOT NULL;

-- By hand: a domain belongs to one account at most.
CREATE UNIQUE INDEX "link_settings_verified_host_key" ON "link_settings"("host") WHERE "verified_at" IS NOT NULL;

-- By hand: a host has a token.
ALTER TABLE "link_settings" ADD CONSTRAINT "link_settings_token_check" CHECK (("host" IS NULL) = ("token" IS NULL) AND ("host" IS NOT NULL OR "verified_at" IS NULL));

-- By hand: counting updates rows within their page.
ALTER TABLE "links" SET (fillfactor = 80);
