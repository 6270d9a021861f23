CREATE TABLE "spend_holds" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "prefix" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "messages" INTEGER NOT NULL,
    "held_at" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "released_at" TIMESTAMPTZ(3),
    "released_by" TEXT,
    CONSTRAINT "spend_holds_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "spend_holds_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "spend_holds_account_id_until_idx" ON "spend_holds"("account_id", "until");
CREATE INDEX "spend_holds_until_idx" ON "spend_holds"("until");
