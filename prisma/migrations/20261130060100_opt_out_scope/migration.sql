-- Opt-outs that block marketing only, and the choice of an account that later STOPs do. Constant defaults: existing opt-outs block every purpose, and
-- filled tables are not rewritten.
ALTER TABLE "opt_outs" ADD COLUMN     "marketing_only" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "accounts" ADD COLUMN     "stops_marketing_only" BOOLEAN NOT NULL DEFAULT false;
