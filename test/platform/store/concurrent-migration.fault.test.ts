import { createHash } from 'node:crypto';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { applyMigrations, createTables } from '../../../src/platform/store/migrations/migrate.js';
import { readMigrations } from '../../../src/platform/store/migrations/migration-files.js';
import { migrationDatabaseForEachTest } from '../../support/store/migration-database.js';
import { waitFor } from '../../support/wait-for.js';

const TABLE = '20260101000000_table';
const INDEX = '20260102000000_index';
const CREATE_INDEX = '-- A comment.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS "filled_n_idx" ON "filled" ("n");\n';

const database = migrationDatabaseForEachTest();
beforeEach(async () => {
  database.addMigration(TABLE, 'CREATE TABLE filled (n integer)');
  await apply();
  await database.client.query('INSERT INTO filled SELECT generate_series(1, 1000)');
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  client.on('error', () => undefined);
  return client;
}

const apply = (options = {}) =>
  applyMigrations({ url: database.url, log: database.log, folder: database.folder, ...options });

/** Opens a transaction that has written to the table, so that the creation of an index must wait for its end. */
async function openTransaction(): Promise<pg.Client> {
  const writer = await connect();
  await writer.query('BEGIN; INSERT INTO filled VALUES (0)');
  onTestFinished(() => writer.end());
  return writer;
}

async function waitForIndexBuild(): Promise<number> {
  return await waitFor('the index to wait for the writer', async () => {
    const { rows } = await database.client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_progress_create_index WHERE datname = current_database() AND phase LIKE 'waiting%'",
    );
    return rows[0]?.pid;
  });
}

async function listIndexes(): Promise<unknown[]> {
  const { rows } = await database.client.query<{ name: string; valid: boolean }>(
    `SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
     WHERE indrelid = to_regclass('filled') ORDER BY 1`,
  );
  return rows;
}

const VALID = [{ name: 'filled_n_idx', valid: true }];

describe('a migration with a single CREATE INDEX CONCURRENTLY', () => {
  it('allows writes while it runs, and makes other starts wait', async () => {
    database.addMigration(INDEX, CREATE_INDEX);
    // An operator may have set default timeouts, which must not cancel the creation of the index.
    const name = decodeURIComponent(new URL(database.url).pathname.slice(1));
    for (const limit of ['statement_timeout', 'lock_timeout']) {
      await database.client.query(`ALTER DATABASE ${name} SET ${limit} = '500ms'`);
    }
    const writer = await openTransaction();
    const first = apply();
    const builderPid = await waitForIndexBuild();
    const second = apply();
    await database.client.query("SET lock_timeout = '100ms'; INSERT INTO filled VALUES (1001)");
    await waitFor('the second start to wait', () =>
      database.loggedTexts.some((line) => line.startsWith('Another process is migrating')),
    );
    await waitFor('the index to have taken longer than the limits', async () => {
      const long = "SELECT FROM pg_stat_activity WHERE pid = $1 AND now() - query_start > interval '600 ms'";
      return (await database.client.query(long, [builderPid])).rowCount === 1;
    });
    await writer.query('COMMIT');
    expect([await first, await second]).toEqual([[INDEX], []]);
    expect(database.loggedTexts).not.toContainEqual(expect.stringContaining('is waiting for a lock'));
    expect(await listIndexes()).toEqual(VALID);
    expect(database.loggedTexts).toContainEqual(
      expect.stringMatching(/^The database was migrated in .*: 20260102000000_index \(.* m?s\)$/),
    );
  });

  it('drops an index left unfinished by a kill, and creates it again', async () => {
    database.addMigration(INDEX, CREATE_INDEX);
    const writer = await openTransaction();
    const failedStart = apply().catch((error: Error) => error.message);
    await database.client.query('SELECT pg_terminate_backend($1)', [await waitForIndexBuild()]);
    expect(await failedStart).toMatch(
      /^The migration 20260102000000_index failed: .*\. The next start drops the unfinished index/,
    );
    expect(await listIndexes()).toEqual([{ name: 'filled_n_idx', valid: false }]);
    await writer.query('COMMIT');
    expect(await apply()).toEqual([INDEX]);
    expect(await listIndexes()).toEqual(VALID);
    expect(database.loggedTexts).toContain('The index filled_n_idx was left unfinished; creating it again');
  });

  it('keeps a finished index that was not recorded', async () => {
    await database.client.query('CREATE INDEX filled_n_idx ON filled (n)');
    const previous = await database.client.query("SELECT 'filled_n_idx'::regclass::oid AS oid");
    database.addMigration(INDEX, CREATE_INDEX);
    expect(await apply()).toEqual([INDEX]);
    expect((await database.client.query("SELECT 'filled_n_idx'::regclass::oid AS oid")).rows).toEqual(previous.rows);
  });

  it('runs inside a transaction when the tables are created for a restore', async () => {
    database.addMigration(INDEX, CREATE_INDEX);
    await database.client.query('DROP TABLE filled, _prisma_migrations');
    await database.client.query('BEGIN');
    await createTables(database.client, await readMigrations(database.folder));
    await database.client.query('COMMIT');
    expect(await listIndexes()).toEqual(VALID);
    expect(await apply()).toEqual([]);
  });
});

describe('a migration that locks out writers', () => {
  it('lets writers proceed while it waits for its lock, and runs once the lock is free', async () => {
    database.addMigration(INDEX, 'ALTER TABLE filled ADD COLUMN m integer');
    const writer = await openTransaction();
    const migration = apply();
    await waitFor('the migration to give way', () =>
      database.loggedTexts.some((line) => line.includes('is waiting for a lock')),
    );
    await database.client.query('INSERT INTO filled VALUES (1001)');
    await writer.query('COMMIT');
    expect(await migration).toEqual([INDEX]);
  });

  it('fails with an explanation if it never gets the lock', async () => {
    database.addMigration(INDEX, 'ALTER TABLE filled ADD COLUMN m integer');
    await openTransaction();
    await expect(apply({ patienceMs: 0 })).rejects.toThrow(
      'The migration 20260102000000_index failed: canceling statement due to lock timeout. No part of it was applied.',
    );
  });
});

describe('a migration with a former text', () => {
  it('accepts the checksum of its former text, and of no other', async () => {
    const former = createHash('sha256').update('CREATE TABLE filled (n integer)').digest('hex');
    database.addMigration(TABLE, `-- Former text: sha256 ${former}\nCREATE TABLE filled (n int)`);
    expect(await apply()).toEqual([]);
    database.addMigration(TABLE, `-- Former text: sha256 ${former.replace(/./, 'x')}\nCREATE TABLE filled (n int)`);
    await expect(apply()).rejects.toThrow(/must never be edited/);
  });
});
