-- How often a sign-in failed a moment ago, by name and by address, and when a key was used last.

-- CreateTable: what it counts is worth nothing after a crash
CREATE UNLOGGED TABLE "sign_in_attempts" (
    "key_hash" BYTEA NOT NULL,
    "attempts" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_attempts_pkey" PRIMARY KEY ("key_hash")
);

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3);
