import { rm } from 'node:fs/promises';
import type pg from 'pg';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { StandbyPair } from '../../../../chaos/world/replicated/standby.mjs';
import type { Readable } from '../../../../src/platform/reads/reads.js';
import { type MeasuredPool, openPool, openPrisma } from '../../../../src/platform/store/connections/pool.js';
import { ReplicaReads } from '../../../../src/platform/store/reaching/replica.js';
import { ReplicaAge } from '../../../../src/platform/store/reaching/replica-age.js';
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

function open(url: string, age?: ReplicaAge): Readable {
  const pool = openPool({ url, size: 2, log, patienceMs: 10_000, ...(age && { admit: age.admit }) });
  onTestFinished(() => pool.end());
  return { pool, prisma: openPrisma(pool) };
}

it('what a replica showed once it shows until it is too old, though it was killed or made a primary', async () => {
  // The time by which ages are told passes as the test says.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const pair = await openPair();
  const primary = open(pair.primary.url());
  const age = new ReplicaAge(primary.pool, MAX_AGE_MS);
  const replica = open(pair.standby.url(), age);
  const reads = new ReplicaReads({ primary, replica, age, log });
  /** The newest of the numbers, by either driver, and whether the replica said it. */
  const newest = (by: 'pg' | 'prisma') =>
    reads.read(async (store) => {
      const text = 'SELECT max(number)::int AS newest FROM numbers';
      const rows =
        by === 'pg' ? (await store.pool.query(text)).rows : await store.prisma.$queryRawUnsafe<never[]>(text);
      return { number: (rows[0] as unknown as { newest: number }).newest, isOfReplica: store === replica };
    });
  /** What the replica itself would say. */
  const unasked = open(pair.standby.url());
  const shows = async () => (await unasked.pool.query('SELECT max(number)::int AS newest FROM numbers')).rows[0].newest;
  const write = (pool: pg.Pool, number: number) => pool.query('INSERT INTO numbers VALUES ($1)', [number]);
  const shown = (number: number) =>
    waitFor(`the replica to show ${number}`, async () => {
      vi.advanceTimersByTime(600);
      const told = await newest('pg');
      return told.isOfReplica && told.number === number;
    });

  await primary.pool.query('CREATE TABLE numbers (number int)');
  await write(primary.pool, 1);
  await shown(1);
  // From here on it begins anew when it was killed.
  await pair.primary.ask('CHECKPOINT');
  await waitFor('a point to begin anew from', async () => {
    await pair.standby.ask('CHECKPOINT');
    const [{ isThere }] = await pair.standby.ask(
      `SELECT redo_lsn >= (SELECT pg_last_wal_replay_lsn() - 1024) AS "isThere" FROM pg_control_checkpoint()`,
    );
    return isThere;
  });
  await write(primary.pool, 2);
  await shown(2);
  for (let ageMs = 0; ageMs <= MAX_AGE_MS; ageMs += 1_000) {
    vi.advanceTimersByTime(1_000);
    expect(await newest('pg')).toEqual({ number: 2, isOfReplica: true });
  }

  await pair.standby.ask(`ALTER SYSTEM SET recovery_min_apply_delay = '1h'`);
  await pair.standby.end('SIGKILL');
  await pair.standby.start();
  expect(await shows()).toBe(1);
  // Each is told by the connection that it is given.
  expect(await newest('prisma')).toEqual({ number: 2, isOfReplica: false });
  vi.advanceTimersByTime(600);
  expect(await newest('pg')).toEqual({ number: 2, isOfReplica: false });
  expect((replica.pool as MeasuredPool).totalCount).toBe(0);

  await pair.standby.ask('SELECT pg_promote(true, 60)');
  // Its own log is longer than that of the store from now on.
  await pair.standby.ask('SELECT pg_switch_wal()');
  await write(primary.pool, 3);
  expect(await shows()).toBe(2);
  for (const by of ['pg', 'prisma'] as const) {
    vi.advanceTimersByTime(600);
    expect(await newest(by)).toEqual({ number: 3, isOfReplica: false });
  }
});
