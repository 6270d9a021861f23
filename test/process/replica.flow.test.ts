import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/platform/machine/free-port.js';
import type { ReadableStore } from '../../src/platform/reads/reads.js';
import { openPool, openPrisma } from '../../src/platform/store/connections/pool.js';
import { createReplicaMetrics } from '../../src/platform/store/servers/replica-metrics.js';
import { Closers } from '../../src/process/closers.js';
import type { Config } from '../../src/process/settings/config.js';
import { type OpenReads, openReads } from '../../src/process/startup/open-reads.js';
import { runToEnd } from '../support/processes/run-to-end.js';
import { createDatabaseForTest } from '../support/store/databases.js';

async function openReplicaReads(url: string, databaseReadUrl: string | undefined) {
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line).msg) });
  const closers = new Closers();
  onTestFinished(() => closers.run());
  const pool = openPool({ url, size: 2, log, patienceMs: 5_000 });
  closers.add(() => pool.end());
  const primary: ReadableStore = { pool, prisma: openPrisma(pool) };
  const config = { databaseReadUrl, databaseReadMaxAgeMs: 20_000, role: 'all' } as Config;
  const { read, replica } = await openReads(config, { primary, url, log }, closers);
  return { read, replica, primary, warnings };
}

/** Returns a line for each sample: the name without `heliograph_replica_`, the label values and the number. */
async function readSamples(replica: OpenReads['replica']): Promise<string[]> {
  const lines: string[] = [];
  for (const metric of createReplicaMetrics(replica?.reads ?? null)) {
    if (metric.type === 'histogram') continue;
    for (const { labels = {}, value } of await metric.read()) {
      lines.push([metric.name.replace('heliograph_replica_', ''), ...Object.values(labels), value].join(' '));
    }
  }
  return lines;
}

describe('DATABASE_READ_URL', () => {
  it('must be a replica of the same store, or the start fails', async () => {
    const settings = { DATABASE_URL: await createDatabaseForTest(), DATABASE_READ_URL: await createDatabaseForTest() };
    const { code, output } = await runToEnd({ PORT: '0', LOG_LEVEL: 'error', ...settings });
    expect(output).toMatch(/DATABASE_READ_URL.* lead to different databases/);
    expect(code).toBe(1);
  });

  it('does not stop the start when it is unreachable: the primary is read', async () => {
    const { read, replica, primary, warnings } = await openReplicaReads(
      await createDatabaseForTest(),
      `postgresql://nobody@127.0.0.1:${await freePort()}/nothing`,
    );
    expect(warnings).toEqual(['the replica is unavailable; the primary serves its queries until it responds']);
    const usedStore = await read(async (store) => {
      await store.pool.query('SELECT 1');
      return store;
    });
    expect(usedStore).toBe(primary);
    expect(await readSamples(replica)).toEqual([
      'max_age_seconds 20',
      'state young 0',
      'state too_old 0',
      'state away 1',
      'reads_total primary away 1',
    ]);
  });

  it('adds metrics of reads from the replica', async () => {
    const url = await createDatabaseForTest();
    const { read, primary, replica } = await openReplicaReads(url, url);
    expect(await read(async (store) => store)).not.toBe(primary);
    const [age, ...otherSamples] = await readSamples(replica);
    expect(age).toMatch(/^age_seconds [\d.]+$/);
    expect(otherSamples).toEqual([
      'max_age_seconds 20',
      'state young 1',
      'state too_old 0',
      'state away 0',
      'reads_total replica young 1',
    ]);
  });

  it('is optional: without it, the primary is read', async () => {
    const { read, primary, replica } = await openReplicaReads(await createDatabaseForTest(), undefined);
    expect(await read(async (store) => store)).toBe(primary);
    expect(await readSamples(replica)).toEqual([]);
  });
});
