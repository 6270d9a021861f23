import { describe, expect, it } from 'vitest';
import { findLongLocks } from '../../scripts/lib/migration-rules.mjs';
import { readMigrations } from '../../src/platform/store/migrations/migration-files.js';

const findProblems = (sql: string, name = '20991231000000_new') => findLongLocks({ name, sql });

describe('the check of migrations', () => {
  it('finds nothing in the existing migrations', async () => {
    expect((await Promise.all((await readMigrations()).map(findLongLocks))).flat()).toEqual([]);
  });

  it.each([
    ['CREATE INDEX "i" ON "messages" ("sender")', 'CREATE INDEX blocks writers'],
    ['CREATE INDEX CONCURRENTLY IF NOT EXISTS "i" ON "messages" ("sender"); SELECT 1', 'must be the only statement'],
    ['CREATE INDEX CONCURRENTLY "i" ON "messages" ("sender")', 'needs a name and IF NOT EXISTS'],
    ['DROP INDEX CONCURRENTLY "i"', 'needs IF EXISTS'],
    ['ALTER TABLE "messages" ADD COLUMN "a" uuid NOT NULL DEFAULT gen_random_uuid()', 'is not a constant'],
    ['ALTER TABLE "messages" ADD COLUMN "a" text GENERATED ALWAYS AS (lower("body")) STORED', 'generated and stored'],
    ['ALTER TABLE "messages" ADD COLUMN "a" bigserial', 'numbers existing rows'],
    ['ALTER TABLE "messages" ADD COLUMN "a" bigint GENERATED ALWAYS AS IDENTITY', 'numbers existing rows'],
    ['ALTER TABLE "messages" ADD COLUMN "a" uuid REFERENCES "contacts"', 'a constraint that reads the table'],
    ['ALTER TABLE "messages" ADD COLUMN "a" text NOT NULL', 'NOT NULL without a default'],
    ['ALTER TABLE "messages" ALTER COLUMN "parts" TYPE integer', 'changing the type rewrites the table'],
    ['ALTER TABLE "messages" ALTER COLUMN "channel_id" SET NOT NULL', 'SET NOT NULL reads the table'],
    ['ALTER TABLE "messages" ADD CONSTRAINT "c" CHECK ("parts" < 300)', 'ADD CHECK reads the table'],
    [
      'ALTER TABLE "messages" ADD CONSTRAINT "c" FOREIGN KEY ("contact_id") REFERENCES "contacts"',
      'ADD FOREIGN KEY reads',
    ],
    ['ALTER TABLE "messages" ADD CONSTRAINT "c" UNIQUE ("id", "parts")', 'ADD UNIQUE builds its index under a lock'],
    [
      'ALTER TABLE "messages" ADD CONSTRAINT "c" CHECK ("parts" < 300) NOT VALID; ALTER TABLE "messages" VALIDATE CONSTRAINT "c"',
      'belongs in a later migration',
    ],
    ['CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "i" ON "messages" ("sender")', 'a unique index must contain it'],
    ['ALTER TABLE "messages" SET (fillfactor = 70)', 'storage parameters belong to each partition'],
    [
      'ALTER TABLE "messages" ADD CONSTRAINT "c" FOREIGN KEY ("contact_id") REFERENCES "contacts" NOT VALID',
      'rejects a foreign key NOT VALID',
    ],
    ['ALTER TABLE "messages" ADD CONSTRAINT "c" UNIQUE USING INDEX "i"', 'cannot be added USING INDEX'],
    ['ALTER TABLE "messages" DROP COLUMN "content"', 'breaks processes of the previous version'],
    ['ALTER TABLE "messages" RENAME COLUMN "content" TO "contents"', 'breaks processes of the previous version'],
    ['UPDATE "messages" SET "parts" = 1', 'let a worker do it in batches'],
    ['DELETE FROM "messages" WHERE "parts" = 1', 'let a worker do it in batches'],
    ['LOCK TABLE "messages"', 'blocks other sessions'],
    ['REINDEX TABLE "messages"', 'blocks writers'],
  ])('refuses %s', async (sql, problem) => {
    expect(await findProblems(sql)).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    'CREATE INDEX CONCURRENTLY IF NOT EXISTS "i" ON "messages" ("sender")',
    'DROP INDEX CONCURRENTLY IF EXISTS "i"',
    `ALTER TABLE "messages" ADD COLUMN "a" text, ADD COLUMN "b" integer NOT NULL DEFAULT 0,
       ADD COLUMN "c" timestamptz DEFAULT CURRENT_TIMESTAMP, ADD COLUMN "d" timestamptz DEFAULT now()`,
    'ALTER TABLE "messages" ADD CONSTRAINT "c" CHECK ("parts" < 300) NOT VALID',
    'ALTER TABLE "messages" VALIDATE CONSTRAINT "c"',
    'CREATE TABLE "new" ("id" uuid); CREATE INDEX "i" ON "new" ("id"); UPDATE "new" SET "id" = NULL',
    'CREATE FUNCTION f(a text) RETURNS text LANGUAGE sql IMMUTABLE RETURN lower(a)',
  ])('accepts %s', async (sql) => {
    expect(await findProblems(sql)).toEqual([]);
  });

  it('does not apply to migrations that create the tables of a new store', async () => {
    expect(await findProblems('CREATE INDEX "i" ON "messages" ("sender")', '20261121090000_foundation')).toEqual([]);
  });
});
