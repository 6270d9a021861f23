-- Runs whose step fails unexpectedly are given up after some tries. Additive: earlier versions leave it at 0.
ALTER TABLE "automation_runs" ADD COLUMN     "failures" SMALLINT NOT NULL DEFAULT 0;
