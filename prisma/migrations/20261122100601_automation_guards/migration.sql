-- Automations that can be switched off and rest after a run, and runs that can be canceled. A canceled run has the status
-- `failed` as well, for a process of the version before knows no other that it could be.
ALTER TABLE "automations"
  ADD COLUMN "is_active" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "cooldown_seconds" INTEGER NOT NULL DEFAULT 60;

ALTER TABLE "automation_runs"
  ADD COLUMN "canceled_at" TIMESTAMPTZ(3),
  ADD COLUMN "alone" BOOLEAN NOT NULL DEFAULT false;

-- One run at a time of an automation for a contact. Those that a client has let begin beside another are not in it.
CREATE UNIQUE INDEX "automation_runs_alone_key" ON "automation_runs" ("automation_id", "contact_id")
  WHERE "alone" AND "completed_at" IS NULL;
