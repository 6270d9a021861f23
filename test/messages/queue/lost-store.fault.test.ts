import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type FreezingProxy, freezingProxy } from '../../../chaos/world/freezing-proxy.mjs';
import { openPostgresBackend, type QueueBackend, type SendQueue } from '../../../src/messages/queue/backend.js';
import { packIds } from '../../../src/messages/queue/packed-ids.js';
import { Workers } from '../../../src/messages/queue/workers.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { closersForEachTest } from '../../support/for-suite.js';
import { queryRows } from '../../support/processes/embedded-folders.js';
import { createTestDatabase } from '../../support/store/databases.js';
import { waitFor } from '../../support/wait-for.js';

const silentLog = pino({ level: 'silent' });
const ID = '01900000-0000-7000-8000-000000000000';

/** Counts idle workers, whose last query was for the time of the next delayed job. The result is zero while there is a job. */
const IDLE = `SELECT count(*)::int AS idle FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'idle' AND query LIKE '%next delayed job%'
    AND NOT EXISTS (SELECT FROM bullmq.job)`;

const closers = closersForEachTest();

const openWorkers = (backend: QueueBackend, onJobTaken: () => void) => {
  const send = async () => undefined;
  const workers = new Workers({ backend, log: silentLog, clock: systemClock, concurrency: 1, onJobTaken, send });
  closers.push(() => workers.close(5_000));
  workers.start();
};

interface OpenLane {
  proxy: FreezingProxy;
  /** Bypasses the proxy. */
  add(): Promise<unknown>;
  countTaken(): number;
}

async function openLane(): Promise<OpenLane> {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  const proxy = await freezingProxy(database.url);
  closers.push(() => proxy.close());
  const queue: SendQueue = openPostgresBackend(database.url, 'lost', { adding: 1, working: 0 }, silentLog).openQueue(
    'bulk',
  );
  queue.on('error', () => undefined);
  closers.push(() => queue.close());
  let takenCount = 0;
  openWorkers(openPostgresBackend(proxy.url, 'lost', { adding: 1, working: 1 }, silentLog), () => {
    takenCount += 1;
  });
  const data = { ids: packIds([ID]), carrier: 'simulator' };
  const add = () => queue.add('send', data, { priority: 1, removeOnComplete: true, removeOnFail: true, attempts: 1 });
  await add();
  // Waits until the workers are idle, because a job that is being fetched would be lost with its connection.
  await waitFor('the workers to have nothing to do', async () => {
    const [row] = await queryRows<{ idle: number }>(database.url, IDLE);
    return takenCount === 1 && row?.idle === 2;
  });
  return { proxy, add, countTaken: () => takenCount };
}

describe('a lane after an outage of PostgreSQL', () => {
  it('jobs added during an outage are taken soon after PostgreSQL has refused connections', async () => {
    const { proxy, add, countTaken } = await openLane();
    await proxy.refuse();
    await add();
    // The test cannot observe refused connections, so it waits long enough for some to be refused.
    await pause(1_000);
    await proxy.accept();
    await waitFor('the job to be taken', () => countTaken() === 2);
  });

  it('jobs are taken soon after connections were cut while being established', async () => {
    const { proxy, add, countTaken } = await openLane();
    proxy.endAtConnect(true);
    proxy.cut();
    await add();
    const { connectionAttempts } = proxy;
    await waitFor('some connections to be tried', () => proxy.connectionAttempts > connectionAttempts + 6);
    proxy.endAtConnect(false);
    await waitFor('the job to be taken', () => countTaken() === 2);
  });
});

it('a worker that stops by itself is restarted', async () => {
  let runCount = 0;
  let endRun: () => void = () => undefined;
  const worker = {
    run: () => {
      runCount += 1;
      if (runCount <= 2) return Promise.reject(new Error('it stopped'));
      return new Promise<void>((resolve) => {
        endRun = resolve;
      });
    },
    close: async () => endRun(),
    discard: () => expect.unreachable(),
    on: () => undefined,
  };
  const idleWorker = { ...worker, run: () => new Promise<void>(() => undefined) };
  openWorkers(
    {
      kind: 'postgres',
      openQueue: () => expect.unreachable(),
      openWorker: (lane) => (lane === 'bulk' ? worker : idleWorker),
      close: async () => undefined,
    },
    () => undefined,
  );
  await waitFor('the worker to run for the third time', () => runCount === 3);
});
