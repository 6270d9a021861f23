-- Transactions of a copied store are numbered above those of the one before, whose changes need not be rewritten. Additive.
ALTER TABLE "change_history" ADD COLUMN     "xid_base" BIGINT NOT NULL DEFAULT 0;
