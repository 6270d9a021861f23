import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PgBouncer } from '../../chaos/world/pgbouncer.mjs';
import { hasProgram } from '../../chaos/world/programs.mjs';
import { requireSameDatabase } from '../../src/platform/store/connections/pooler.js';
import { applyMigrations } from '../../src/platform/store/migrations/migrate.js';
import { run } from '../cli/run.js';
import { openFolder } from '../support/open-folder.js';
import { startServerProcess } from '../support/processes/server-process.js';
import { PGBOUNCER_SUITE } from '../support/run/provided.js';
import { createTestDatabase, type TestDatabase } from '../support/store/databases.js';
import { QueueWatch, readDemo, Senders } from '../support/storms.js';
import { waitFor } from '../support/wait-for.js';

const log = pino({ level: 'silent' });

describe.skipIf(!hasProgram('pgbouncer'))(`PgBouncer in transaction mode ${PGBOUNCER_SUITE}`, () => {
  let folder: string;
  let database: TestDatabase;
  let bouncer: PgBouncer;
  beforeAll(async () => {
    folder = openFolder('heliograph-pgbouncer-');
    database = await createTestDatabase();
    bouncer = new PgBouncer(folder, database.url);
    await bouncer.open();
  });
  afterAll(async () => {
    await bouncer?.close();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is rejected without DATABASE_DIRECT_URL, with a message that names the setting', async () => {
    await expect(applyMigrations({ url: bouncer.url, log })).rejects.toThrow(
      /^DATABASE_URL leads to a pooler in transaction mode.*Set DATABASE_DIRECT_URL to PostgreSQL itself/,
    );
    const direct = { url: bouncer.url, setting: 'DATABASE_DIRECT_URL', log };
    await expect(applyMigrations(direct)).rejects.toThrow(
      /^DATABASE_DIRECT_URL leads to a pooler.*It must lead to PostgreSQL itself\.$/,
    );
    expect(await applyMigrations({ url: database.url, log })).toEqual([]);
  });

  it('must connect to the same database as DATABASE_DIRECT_URL', async () => {
    const otherDatabase = await createTestDatabase({ empty: true });
    try {
      const pooled = { setting: 'DATABASE_URL', url: bouncer.url };
      await requireSameDatabase(pooled, { setting: 'DATABASE_DIRECT_URL', url: database.url });
      await expect(
        requireSameDatabase(pooled, { setting: 'DATABASE_DIRECT_URL', url: otherDatabase.url }),
      ).rejects.toThrow('lead to different databases');
    } finally {
      await otherDatabase.drop();
    }
  });

  it.each(['1', '2'])('works with PROCESSES=%s: all accepted messages are delivered', async (processes) => {
    const testDatabase = await createTestDatabase();
    const ownBouncer = new PgBouncer(openFolder('heliograph-pgbouncer-'), testDatabase.url);
    await ownBouncer.open();
    const dataDir = join(folder, `data-${processes}`);
    const settings = {
      ...{
        DATABASE_URL: ownBouncer.url,
        DATABASE_DIRECT_URL: testDatabase.url,
        DATA_DIR: dataDir,
        PROCESSES: processes,
      },
      ...{ SEED_DEMO: 'true', DATABASE_POOL_SIZE: '15', LOG_LEVEL: 'warn', SIMULATOR_DELAY_MS: '20' },
    };
    const server = await startServerProcess({ settings });
    const watch = new QueueWatch(testDatabase.url);
    const assertAlive = () => undefined;
    try {
      const { apiKey } = await readDemo(dataDir);
      const senders = new Senders({ baseUrl: server.baseUrl, apiKey, concurrency: 8 });
      senders.start();
      await waitFor('two hundred messages', async () => senders.acknowledged.size >= 200);
      await senders.stop(assertAlive);
      await watch.expectAllFinal({ timeoutMs: 60_000, assertAlive });
      const ids = [...senders.acknowledged];
      expect(await watch.countStatuses(ids)).toEqual({ delivered: ids.length });
      const doctor = await run(settings, 'doctor', '--json');
      expect(JSON.parse(doctor.stdout).findings).toContainEqual(
        expect.objectContaining({ check: 'store.pooler', severity: 'ok' }),
      );
    } finally {
      await server.stop();
      await watch.close();
      await ownBouncer.close();
      await testDatabase.drop();
    }
    expect(server.output()).not.toMatch(/prepared statement|unsupported startup/);
  });
});
