-- A store that was restored into the same PostgreSQL is another one to who followed its changes. Additive.
ALTER TABLE "change_history" ADD COLUMN     "epoch" BIGINT;
