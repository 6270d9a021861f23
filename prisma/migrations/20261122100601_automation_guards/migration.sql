-- Automations that can be switched off and rest after a run, and runs that can be canceled. A canceled run has the status
-- `failed` as well, for a process of the version before knows no other that it could be. The index
-- that lets one run be alone is made by 20261122193005.
-- Former text: sha256 ebf4edfc2245f6d1d7eb6c45fe82d310a4d22f9a6f8f1b022e5002e2684d1b59
ALTER TABLE "automations"
  ADD COLUMN "is_active" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "cooldown_seconds" INTEGER NOT NULL DEFAULT 60;

ALTER TABLE "automation_runs"
  ADD COLUMN "canceled_at" TIMESTAMPTZ(3),
  ADD COLUMN "alone" BOOLEAN NOT NULL DEFAULT false;
