import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { takeBackup } from '../../../src/features/backup/backup.js';
import { verifyBackup } from '../../../src/features/backup/verify.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { run } from '../../cli/run.js';
import { asAdmin, createTestDatabase, type TestDatabase } from '../../support/store/databases.js';

const log = pino({ level: 'silent' });
const folder = mkdtempSync(join(tmpdir(), 'heliograph-verified-'));
const path = join(folder, 'backup.tar.gz');

let store: TestDatabase;
beforeAll(async () => {
  store = await createTestDatabase();
  await takeBackup({ url: store.url, dataDir: folder, path, clock: systemClock });
});
afterAll(async () => {
  await store?.drop();
  rmSync(folder, { recursive: true });
});

async function query<T extends object>(text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: inject('services').postgresUrl });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

const listTrialDatabases = () => query("SELECT datname FROM pg_database WHERE datname LIKE 'heliograph_verify_1_%'");

it('verifying a backup uses a database on the configured server, and drops it and those left by killed commands', async () => {
  await asAdmin(inject('services').postgresUrl, 'CREATE DATABASE heliograph_verify_1_0123456789ab');
  const [server] = await query<{ version: string; database: number }>(
    "SELECT current_setting('server_version') AS version, max(oid)::int AS database FROM pg_database",
  );
  expect(await verifyBackup({ path, log, storeUrl: store.url })).toMatchObject({
    postgres: server?.version,
    unproven: null,
    messages: 0,
  });
  expect(await listTrialDatabases()).toEqual([]);
  const remaining = await query(
    `SELECT datname FROM pg_database WHERE datname LIKE 'heliograph_verify_%' AND oid > ${server?.database}`,
  );
  expect(remaining).toEqual([]);
});

it('verifying a backup says what it could not prove if the role may not create a database', async () => {
  const name = `verify_${process.pid}`;
  await asAdmin(inject('services').postgresUrl, `CREATE ROLE ${name} LOGIN PASSWORD 'x'`);
  onTestFinished(() => asAdmin(inject('services').postgresUrl, `DROP ROLE ${name}`));
  const url = new URL(store.url);
  Object.assign(url, { username: name, password: 'x' });
  const settings = { DATABASE_URL: url.toString(), DATA_DIR: folder };
  const { code, stdout } = await run(settings, 'backup', 'verify', path);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(
      String.raw`Not verified: that it can be restored into the PostgreSQL of DATABASE_URL \(version [\d.]+.*\), ` +
        String.raw`because its role may not create databases \(ALTER ROLE "${name}" CREATEDB\)\.`,
    ),
  );
});

it('verifying a backup says what it could not prove if the configured store is unreachable', async () => {
  const storeUrl = 'postgresql://nobody@127.0.0.1:1/none';
  const { unproven } = await verifyBackup({ path, log, storeUrl });
  expect(unproven).toContain('because creating a database failed: Cannot reach PostgreSQL');
});

it('verifying a backup fails for a balance that differs from the sum of its ledger', async () => {
  const changedDatabase = await createTestDatabase();
  onTestFinished(() => changedDatabase.drop());
  const unbalancedFile = join(folder, 'unbalanced.tar.gz');
  const client = new pg.Client({ connectionString: changedDatabase.url });
  await client.connect();
  await client.query(
    `INSERT INTO accounts (id, name, currency, rate_card_id, balance_micros)
     VALUES ('01920000-0000-7000-8000-000000000001', 'By hand', 'USD', 'standard', 5000000),
            ('01920000-0000-7000-8000-000000000002', 'Empty', 'USD', 'standard', 0)`,
  );
  await client.end();
  await takeBackup({ url: changedDatabase.url, dataDir: folder, path: unbalancedFile, clock: systemClock });
  await expect(verifyBackup({ path: unbalancedFile, log, storeUrl: store.url })).rejects.toThrow(
    'In 1 accounts of the backup, the balance differs from the sum of the ledger.',
  );
  expect(await listTrialDatabases()).toEqual([]);
});
