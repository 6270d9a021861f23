-- Whether an early receipt also counts after its carrier reported a failure. Additive; a process of the version before writes false.
ALTER TABLE "early_receipts" ADD COLUMN     "overrides_failure" BOOLEAN NOT NULL DEFAULT false;
