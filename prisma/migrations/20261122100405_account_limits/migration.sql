-- What an operator sets of an account: below which balance its webhooks are told, whether its keys are good for anything,
-- and which sender IDs its SMS may have (empty: any).
ALTER TABLE "accounts"
  ADD COLUMN "low_balance_micros" BIGINT,
  ADD COLUMN "low_balance_told" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "is_active" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "sender_ids" TEXT[] NOT NULL DEFAULT '{}';

-- The accounts whose balance is watched. A change of the balance changes neither column, so it writes no entry here.
CREATE INDEX "accounts_low_balance_idx" ON "accounts" ("id") WHERE "low_balance_micros" IS NOT NULL;
