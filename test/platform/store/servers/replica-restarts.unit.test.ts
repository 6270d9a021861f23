import { rm } from 'node:fs/promises';
import type pg from 'pg';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { StandbyPair } from '../../../../chaos/world/replicated/standby.mjs';
import type { ReadableStore } from '../../../../src/platform/reads/reads.js';
import { type MeasuredPool, openPool, openPrisma } from '../../../../src/platform/store/connections/pool.js';
import { ReplicaReads } from '../../../../src/platform/store/servers/replica.js';
import { ReplicaAge } from '../../../../src/platform/store/servers/replica-age.js';
import { openFolder } from '../../../support/open-folder.js';
import { waitFor } from '../../../support/wait-for.js';

const MAX_AGE_MS = 10_000;
const log = pino({ level: 'silent' });

async function openPair(): Promise<StandbyPair> {
  const folder = openFolder('heliograph-replica-');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const pair = new StandbyPair(folder, { isSynchronous: false });
  onTestFinished(() => pair.close());
  await pair.open();
  return pair;
}

function openConnections(url: string, age?: ReplicaAge): ReadableStore {
  const pool = openPool({ url, size: 2, log, patienceMs: 10_000, ...(age && { validate: age.requireRecent }) });
  onTestFinished(() => pool.end());
  return { pool, prisma: openPrisma(pool) };
}

it('reads never go back in time when the replica is killed or promoted', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const pair = await openPair();
  const primary = openConnections(pair.primary.url());
  const age = new ReplicaAge(primary.pool, MAX_AGE_MS);
  const replica = openConnections(pair.standby.url(), age);
  const reads = new ReplicaReads({ primary, replica, age, log });
  const readNewest = (driver: 'pg' | 'prisma') =>
    reads.read(async (store) => {
      const text = 'SELECT max(number)::int AS newest FROM numbers';
      const rows =
        driver === 'pg' ? (await store.pool.query(text)).rows : await store.prisma.$queryRawUnsafe<never[]>(text);
      return { number: (rows[0] as unknown as { newest: number }).newest, isOfReplica: store === replica };
    });
  const directReplica = openConnections(pair.standby.url());
  const readReplica = async () =>
    (await directReplica.pool.query('SELECT max(number)::int AS newest FROM numbers')).rows[0].newest;
  const write = (pool: pg.Pool, number: number) => pool.query('INSERT INTO numbers VALUES ($1)', [number]);
  const waitForReplica = (number: number) =>
    waitFor(`the replica to show ${number}`, async () => {
      vi.advanceTimersByTime(600);
      const result = await readNewest('pg');
      return result.isOfReplica && result.number === number;
    });

  await primary.pool.query('CREATE TABLE numbers (number int)');
  await write(primary.pool, 1);
  await waitForReplica(1);
  // A killed replica restarts from its last restart point, which needs a checkpoint of the primary.
  await pair.primary.query('CHECKPOINT');
  await waitFor('a restart point', async () => {
    await pair.standby.query('CHECKPOINT');
    const [{ isThere }] = await pair.standby.query(
      `SELECT redo_lsn >= (SELECT pg_last_wal_replay_lsn() - 1024) AS "isThere" FROM pg_control_checkpoint()`,
    );
    return isThere;
  });
  await write(primary.pool, 2);
  await waitForReplica(2);
  for (let ageMs = 0; ageMs <= MAX_AGE_MS; ageMs += 1_000) {
    vi.advanceTimersByTime(1_000);
    expect(await readNewest('pg')).toEqual({ number: 2, isOfReplica: true });
  }

  await pair.standby.query(`ALTER SYSTEM SET recovery_min_apply_delay = '1h'`);
  await pair.standby.end('SIGKILL');
  await pair.standby.start();
  expect(await readReplica()).toBe(1);
  expect(await readNewest('prisma')).toEqual({ number: 2, isOfReplica: false });
  vi.advanceTimersByTime(600);
  expect(await readNewest('pg')).toEqual({ number: 2, isOfReplica: false });
  expect((replica.pool as MeasuredPool).totalCount).toBe(0);

  await pair.standby.query('SELECT pg_promote(true, 60)');
  // Switching to a new WAL file makes the promoted standby's log longer than the primary's.
  await pair.standby.query('SELECT pg_switch_wal()');
  await write(primary.pool, 3);
  expect(await readReplica()).toBe(2);
  for (const driver of ['pg', 'prisma'] as const) {
    vi.advanceTimersByTime(600);
    expect(await readNewest(driver)).toEqual({ number: 3, isOfReplica: false });
  }
});
