import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBackup, restoreBackup, takeBackup } from '../../../src/features/backup/backup.js';
import { moveStore } from '../../../src/features/backup/move.js';
import { verifyBackup } from '../../../src/features/backup/verify.js';
import { buildTransactionalScripts, readMigrations } from '../../../src/platform/store/migrations/migration-files.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { POSTGRES_SUITE } from '../../support/run/provided.js';
import { createTestDatabase, type TestDatabase } from '../../support/store/databases.js';
import { insertEveryEnumValue, readEnumValues } from '../../support/store/enum-values.js';
import {
  INSTALLED_POSTGRES,
  type InstalledPostgres,
  startInstalledPostgres,
} from '../../support/store/installed-postgres.js';

const log = pino({ level: 'silent' });
const folder = mkdtempSync(join(tmpdir(), 'heliograph-enums-'));
const path = join(folder, 'backup.tar.gz');

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

let source: TestDatabase;
let values: string[];
beforeAll(async () => {
  source = await createTestDatabase();
  await withClient(source.url, insertEveryEnumValue);
  values = await withClient(source.url, readEnumValues);
  await takeBackup({ url: source.url, dataDir: folder, path, clock: systemClock });
});
afterAll(async () => {
  await source?.drop();
  rmSync(folder, { recursive: true });
});

async function restore(url: string, replace = false): Promise<void> {
  const contents = await readBackup(path);
  await restoreBackup({ url, dataDir: folder, path, contents, replace, withoutUnsent: false, log });
}

it('enum values include those that a migration added to an earlier type', () => {
  expect(values).toEqual(expect.arrayContaining(['webhooks.format twilio', 'verifications.status canceled']));
});

it('a restore adds no enum value in the transaction that fills the tables', async () => {
  const scripts = buildTransactionalScripts(await readMigrations());
  expect(scripts.filter(({ sql }) => /ADD VALUE/.test(sql)).map(({ migration }) => migration.name)).toEqual([]);
});

it('a restore keeps every enum value', async () => {
  const { url, drop } = await createTestDatabase({ empty: true });
  try {
    await restore(url);
    expect(await withClient(url, readEnumValues)).toEqual(values);
  } finally {
    await drop();
  }
});

describe.skipIf(INSTALLED_POSTGRES.length === 0)(`another PostgreSQL ${POSTGRES_SUITE}`, () => {
  describe.each(INSTALLED_POSTGRES)('version %s', (majorVersion, binFolder) => {
    let postgres: InstalledPostgres;
    beforeAll(async () => {
      postgres = await startInstalledPostgres(binFolder);
    });
    afterAll(() => postgres?.stop());

    it('another PostgreSQL version restores every enum value, also over an earlier restore', async () => {
      const url = await postgres.createDatabase('restored');
      await restore(url);
      expect(await withClient(url, readEnumValues)).toEqual(values);
      await restore(url, true);
      expect(await withClient(url, readEnumValues)).toEqual(values);
    });

    it('another PostgreSQL version verifies a backup for itself', async () => {
      const storeUrl = await postgres.createDatabase('verified');
      const { postgres: version, unproven, rows } = await verifyBackup({ path, log, storeUrl });
      expect({ major: version.split('.')[0], unproven }).toEqual({ major: majorVersion, unproven: null });
      expect(rows).toBeGreaterThan(values.length);
    });

    it('another PostgreSQL version moves a store with every enum value', async () => {
      const to = await postgres.createDatabase('moved');
      await moveStore({ from: source.url, to, log, clock: systemClock });
      expect(await withClient(to, readEnumValues)).toEqual(values);
    });
  });
});
