-- A template that a sync brought: whoever hands the same one in at that moment gets it, and is not told that it is taken. Additive.
ALTER TABLE "templates" ADD COLUMN     "is_listed" BOOLEAN NOT NULL DEFAULT false;
