import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { diffSchema, withSchemaEngine } from '../../../scripts/lib/schema-engine.mjs';
import { applyMigrations } from '../../../src/platform/store/migrations/migrate.js';
import {
  MIGRATIONS_FOLDER,
  type MigrationFile,
  readMigrations,
} from '../../../src/platform/store/migrations/migration-files.js';
import { openForEachTest } from '../../support/for-suite.js';
import { openEmptyDatabase } from '../../support/store/databases.js';

const log = pino({ level: 'silent' });
const migrations = await readMigrations();
const names = migrations.map(({ name }) => name);
const firstHalf = migrations.slice(0, migrations.length / 2);

const database = openForEachTest(openEmptyDatabase);

/** Applies migrations like `prisma migrate deploy`, with the same engine. */
async function deployWithPrisma(files: Pick<MigrationFile, 'name' | 'sql'>[]): Promise<string[]> {
  return await withSchemaEngine(database.url, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: {
        baseDir: MIGRATIONS_FOLDER,
        lockfile: {
          path: 'migration_lock.toml',
          content: readFileSync(join(MIGRATIONS_FOLDER, 'migration_lock.toml'), 'utf8'),
        },
        shadowDbInitScript: '',
        migrationDirectories: files.map(({ name, sql }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
        })),
      },
      filters: { externalTables: [], externalEnums: [] },
    });
    return appliedMigrationNames;
  });
}

/** Without IDs and times. */
async function listRecords(): Promise<unknown[]> {
  const { rows } = await database.client.query(
    `SELECT migration_name, checksum, logs, rolled_back_at, applied_steps_count, length(id) AS id_length,
       started_at <= finished_at AS finished
     FROM _prisma_migrations ORDER BY migration_name`,
  );
  return rows;
}

describe('a store migrated by Prisma', () => {
  it('is completed by the next start, with records of the same form', async () => {
    expect(await deployWithPrisma(firstHalf)).toEqual(firstHalf.map(({ name }) => name));
    expect(await applyMigrations({ url: database.url, log })).toEqual(names.slice(firstHalf.length));
    expect(await diffSchema(database.url)).toBeNull();
    const [first] = await listRecords();
    const expected = migrations.map(({ name, checksum }) => ({ ...Object(first), migration_name: name, checksum }));
    expect(await listRecords()).toEqual(expected);
    expect(await deployWithPrisma(migrations)).toEqual([]);
  });

  it('is refused after a failure in Prisma until the operator resolves it', async () => {
    await deployWithPrisma(firstHalf);
    const name = String(names[firstHalf.length]);
    await expect(
      deployWithPrisma([...firstHalf, { name, sql: 'CREATE TABLE broken (kind wanted)' }]),
    ).rejects.toThrow();
    await expect(applyMigrations({ url: database.url, log })).rejects.toThrow(
      new RegExp(`The migration ${name} failed before: .*wanted.* prisma migrate resolve --rolled-back ${name}`, 's'),
    );
    await database.client.query('UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL');
    expect(await applyMigrations({ url: database.url, log })).toEqual(names.slice(firstHalf.length));
  });
});

describe('a store migrated by a start', () => {
  it('leaves Prisma nothing to apply, or only the later migrations', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'heliograph-migrations-'));
    try {
      for (const { name } of firstHalf) {
        await cp(join(MIGRATIONS_FOLDER, name), join(folder, name), { recursive: true });
      }
      await applyMigrations({ url: database.url, log, folder });
      expect(await deployWithPrisma(firstHalf)).toEqual([]);
      expect(await deployWithPrisma(migrations)).toEqual(names.slice(firstHalf.length));
      expect(await applyMigrations({ url: database.url, log })).toEqual([]);
      expect(await diffSchema(database.url)).toBeNull();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
