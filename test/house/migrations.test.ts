import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diffSchema } from '../../scripts/lib/schema-engine.mjs';
import { applyMigrations } from '../../src/platform/store/migrations/migrate.js';
import { MIGRATIONS_FOLDER, readMigrations } from '../../src/platform/store/migrations/migration-files.js';
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/store/databases.js';

const log = pino({ level: 'silent' });

describe('the migrations', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    await applyMigrations({ url: database.url, log });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it('give an empty database the schema of schema.prisma', async () => {
    expect(await diffSchema(database.url)).toBeNull();
  });

  it.each([
    ['a column', 'ALTER TABLE accounts ADD COLUMN nickname text'],
    ['an index', 'CREATE INDEX extra ON messages (account_id)'],
    ['a missing column', 'ALTER TABLE messages DROP COLUMN error_code'],
    ['another type', 'ALTER TABLE messages ALTER COLUMN parts TYPE integer'],
    ['a missing default', 'ALTER TABLE messages ALTER COLUMN attempts DROP DEFAULT'],
  ])('fail the check if they differ by %s', async (_what, change) => {
    const changed = await createTestDatabase();
    try {
      await asAdmin(changed.url, change);
      expect(await diffSchema(changed.url)).toMatch(/(ALTER TABLE|DROP INDEX)/);
    } finally {
      await changed.drop();
    }
  });

  it('fail the check if they lack a column, which prints the SQL to add', async () => {
    const changed = await createTestDatabase();
    try {
      await asAdmin(changed.url, 'ALTER TABLE messages DROP COLUMN attempts');
      expect(await diffSchema(changed.url)).toContain('ADD COLUMN     "attempts"');
    } finally {
      await changed.drop();
    }
  });

  it('are recorded like by `prisma migrate deploy`, which finds nothing left to do', async () => {
    const { rows } = await client.query(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, rolled_back_at, logs,
         applied_steps_count AS steps
       FROM _prisma_migrations ORDER BY migration_name`,
    );
    const expected = (await readMigrations()).map(({ name, checksum }) => {
      return { name, checksum, finished: true, rolled_back_at: null, logs: null, steps: 1 };
    });
    expect(rows).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
    expect(await readFile(join(MIGRATIONS_FOLDER, 'migration_lock.toml'), 'utf8')).toContain('provider = "postgresql"');
  });

  it('are applied once if several processes start concurrently', async () => {
    const emptyDatabase = await createTestDatabase({ empty: true });
    try {
      const applied = await Promise.all([1, 2, 3].map(() => applyMigrations({ url: emptyDatabase.url, log })));
      expect(applied.flat()).toEqual((await readMigrations()).map(({ name }) => name));
      expect(await applyMigrations({ url: emptyDatabase.url, log })).toEqual([]);
    } finally {
      await emptyDatabase.drop();
    }
  });
});
