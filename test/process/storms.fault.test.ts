import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FreezingProxy, freezingProxy } from '../../chaos/world/freezing-proxy.mjs';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded/embedded-postgres.js';
import { describeInFullRun } from '../support/backends.js';
import { openFolder } from '../support/open-folder.js';
import { readPostmasterPid } from '../support/processes/embedded-folders.js';
import { describeOwnRedis, startRedis } from '../support/processes/redis-server.js';
import { startServerProcess } from '../support/processes/server-process.js';
import { asAdmin, databaseUrl } from '../support/store/databases.js';
import { QueueWatch, readDemo, Senders } from '../support/storms.js';
import { waitFor } from '../support/wait-for.js';

/** Price of one part on the standard rate card. */
const PRICE = 0.01;
const TERMINATE_EVERY_MS = 350;
/** Milliseconds until all messages must be final, longer than the lease of a message whose claim or result was lost. */
const SETTLED_MS = 75_000;
/** Minimum number of sends that must be acknowledged during and after each storm. */
const MIN_ACKNOWLEDGED = 20;

let folder: string;
let postgres: EmbeddedPostgres;
beforeAll(async () => {
  folder = openFolder('heliograph-storms-');
  postgres = await startEmbeddedPostgres({ dataDir: folder, log: pino({ level: 'silent' }) });
});
afterAll(async () => {
  await postgres.close();
  await rm(folder, { recursive: true, force: true });
});

interface StormTarget {
  /** Bypasses the proxy. */
  url: string;
  proxy: FreezingProxy;
  redis: Redis | null;
}

async function terminateAll({ url, redis }: StormTarget): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let round = 0; round < 20; round++) {
      await client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      if (round % 4 === 0) await redis?.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await pause(TERMINATE_EVERY_MS);
    }
  } finally {
    await client.end();
  }
}

async function restart({ url }: StormTarget, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const pid = readPostmasterPid(postgres.data);
  if (pid !== null) process.kill(pid, signal);
  const runsAgain = async () => {
    if (readPostmasterPid(postgres.data) === pid) return false;
    await asAdmin(url, 'SELECT 1');
    return true;
  };
  await waitFor('another PostgreSQL to run', runsAgain);
}

async function cutAnswers({ proxy }: StormTarget): Promise<void> {
  proxy.cutResponses(60);
  await pause(2_500);
  proxy.cutResponses(0);
}

/** Closes connections while they are being opened, when no error handler may be attached yet. */
async function endAtConnect({ proxy }: StormTarget): Promise<void> {
  proxy.endAtConnect(true);
  for (let round = 0; round < 8; round++) {
    proxy.cut();
    await pause(TERMINATE_EVERY_MS);
  }
  proxy.endAtConnect(false);
}

const STORMS: Record<string, (target: StormTarget) => Promise<void>> = {
  'all connections are closed every 350 ms': terminateAll,
  'PostgreSQL is restarted': (target) => restart(target, 'SIGINT'),
  'PostgreSQL crashes': (target) => restart(target, 'SIGQUIT'),
  'responses to COMMIT are lost': cutAnswers,
  'connections are closed while they are opened': endAtConnect,
};

async function runStorms(name: string, redisUrl?: string): Promise<void> {
  await asAdmin(postgres.url, `CREATE DATABASE ${name}`);
  const url = databaseUrl(postgres.url, name);
  const proxy = await freezingProxy(url);
  const redis = redisUrl ? new Redis(redisUrl) : null;
  redis?.on('error', () => undefined);
  const dataDir = join(folder, name);
  const server = await startServerProcess({
    settings: {
      DATABASE_URL: proxy.url,
      ...(redisUrl && { REDIS_URL: redisUrl }),
      DATA_DIR: dataDir,
      SEED_DEMO: 'true',
      RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
      SIMULATOR_DELAY_MS: '20',
    },
  });
  let hasEnded = false;
  void server.exitCode.then(() => {
    hasEnded = true;
  });
  const assertAliveDuring = (during: string) => {
    if (hasEnded) throw new Error(`the server ended while ${during}; its output:\n${server.output().slice(-4_000)}`);
  };
  const watch = new QueueWatch(url);
  try {
    const { apiKey } = await readDemo(dataDir);
    const senders = new Senders({ baseUrl: server.baseUrl, apiKey, concurrency: 4 });
    const initial = { balance: await senders.balance(), messages: await watch.countAll() };
    for (const [description, storm] of Object.entries(STORMS)) {
      const acknowledgedBefore = senders.acknowledged.size;
      senders.start();
      await storm({ url, proxy, redis });
      // Even on slow machines, sends must be acknowledged during each storm.
      const isAcknowledged = () => {
        assertAliveDuring(description);
        return senders.acknowledged.size >= acknowledgedBefore + MIN_ACKNOWLEDGED;
      };
      await waitFor(`sends to be acknowledged while ${description}`, isAcknowledged);
      await senders.stop(() => assertAliveDuring(description));
      await watch.expectProgress(description, { forMs: 2_000, assertAlive: () => assertAliveDuring(description) });
    }
    await watch.expectAllFinal({
      timeoutMs: SETTLED_MS,
      assertAlive: () => assertAliveDuring('the remaining messages were sent'),
    });

    const statuses = await watch.countStatuses([...senders.acknowledged]);
    expect(statuses).toEqual({ delivered: senders.acknowledged.size });
    // Each send was repeated with the same idempotency key until it was acknowledged, so no message may be stored or charged
    // twice.
    expect((await watch.countAll()) - initial.messages).toBe(senders.acknowledged.size);
    expect(Math.round((initial.balance - (await senders.balance())) / PRICE)).toBe(senders.acknowledged.size);
  } finally {
    await watch.close();
    await server.stop();
    redis?.disconnect();
    await proxy.close();
  }
}

describe('a server under load that keeps losing its connections to the store', () => {
  it('survives, keeps all lanes running, and sends and charges each acknowledged message once [postgres]', () =>
    runStorms('storm_postgres'));

  describeInFullRun('with the queue in Redis', () => {
    describeOwnRedis('with the queue in Redis', () => {
      it('survives, and sends and charges each acknowledged message once [redis]', async () => {
        const server = await startRedis({ appendOnly: true });
        try {
          await runStorms('storm_redis', server.url);
        } finally {
          await server.close();
        }
      });
    });
  });
});
