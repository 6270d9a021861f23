import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FreezingProxy, freezingProxy } from '../../chaos/world/freezing-proxy.mjs';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded/embedded-postgres.js';
import { describeWhereEverythingRuns } from '../support/backends.js';
import { openFolder } from '../support/open-folder.js';
import { postmasterPid } from '../support/processes/embedded-folders.js';
import { describeOwnRedis, startRedis } from '../support/processes/redis-server.js';
import { startServerProcess } from '../support/processes/server-process.js';
import { asAdmin, databaseUrl } from '../support/store/databases.js';
import { DueWatch, readDemo, Senders } from '../support/storms.js';
import { waitFor } from '../support/wait-for.js';

/** Of one SMS of one part on the standard rate card. */
const PRICE = 0.01;
const TERMINATE_EVERY_MS = 350;
/** Longer than the lease of a message whose claim, or whose outcome, was lost with its connection. */
const SETTLED_MS = 75_000;
/** What is acknowledged at the least of what is sent while a storm goes on, and after it. */
const EACH_ACKNOWLEDGES = 20;

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

interface Stormy {
  /** Of the database, past the proxy. */
  url: string;
  proxy: FreezingProxy;
  redis: Redis | null;
}

/** Ends all connections again and again, of Redis too. */
async function terminateAll({ url, redis }: Stormy): Promise<void> {
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

/** Ends PostgreSQL itself, which is started again, and waits until it answers. */
async function restart({ url }: Stormy, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const pid = postmasterPid(postgres.data);
  if (pid !== null) process.kill(pid, signal);
  const runsAgain = async () => {
    if (postmasterPid(postgres.data) === pid) return false;
    await asAdmin(url, 'SELECT 1');
    return true;
  };
  await waitFor('another PostgreSQL to run', runsAgain);
}

async function cutAnswers({ proxy }: Stormy): Promise<void> {
  proxy.cutAnswers(60);
  await pause(2_500);
  proxy.cutAnswers(0);
}

/** The moment in which a connection is made is one in which nobody may listen to it yet. */
async function endAtConnect({ proxy }: Stormy): Promise<void> {
  proxy.endAtConnect(true);
  for (let round = 0; round < 8; round++) {
    proxy.cut();
    await pause(TERMINATE_EVERY_MS);
  }
  proxy.endAtConnect(false);
}

const STORMS: Record<string, (stormy: Stormy) => Promise<void>> = {
  'every connection is ended every 350 ms': terminateAll,
  'PostgreSQL is restarted': (stormy) => restart(stormy, 'SIGINT'),
  'PostgreSQL dies at once': (stormy) => restart(stormy, 'SIGQUIT'),
  'answers are lost behind COMMIT': cutAnswers,
  'connections are ended as they are made': endAtConnect,
};

async function weather(name: string, redisUrl?: string): Promise<void> {
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
  void server.ended.then(() => {
    hasEnded = true;
  });
  const lives = (during: string) => {
    if (hasEnded) throw new Error(`the server ended while ${during}; it said:\n${server.output().slice(-4_000)}`);
  };
  const watch = new DueWatch(url);
  try {
    const { apiKey } = await readDemo(dataDir);
    const senders = new Senders({ baseUrl: server.baseUrl, apiKey, at: 4 });
    const before = { balance: await senders.balance(), messages: await watch.countAll() };
    for (const [what, storm] of Object.entries(STORMS)) {
      const acknowledgedBefore = senders.acknowledged.size;
      senders.start();
      await storm({ url, proxy, redis });
      // However slow the machine is: each storm had work under way.
      const isAcknowledged = () => {
        lives(what);
        return senders.acknowledged.size >= acknowledgedBefore + EACH_ACKNOWLEDGES;
      };
      await waitFor(`sends to be acknowledged where ${what}`, isAcknowledged);
      await senders.stop(() => lives(what));
      await watch.expectWork(what, { forMs: 2_000, lives: () => lives(what) });
    }
    await watch.expectAllFinal({ timeoutMs: SETTLED_MS, lives: () => lives('what was left was sent') });

    const statuses = await watch.statusesOf([...senders.acknowledged]);
    expect(statuses).toEqual({ delivered: senders.acknowledged.size });
    // Each was sent with a key until it was acknowledged: there is no other, and none was charged twice.
    expect((await watch.countAll()) - before.messages).toBe(senders.acknowledged.size);
    expect(Math.round((before.balance - (await senders.balance())) / PRICE)).toBe(senders.acknowledged.size);
  } finally {
    await watch.close();
    await server.stop();
    redis?.disconnect();
    await proxy.close();
  }
}

describe('a server whose connections to the store are lost, again and again, under load', () => {
  it(
    'lives on, lets no lane stand still, and sends and charges once what it acknowledged [postgres]',
    {
      timeout: 300_000,
    },
    () => weather('storm_postgres'),
  );

  describeWhereEverythingRuns('with the queue in Redis', () => {
    describeOwnRedis('with the queue in Redis', () => {
      it('the same', { timeout: 300_000 }, async () => {
        const server = await startRedis({ appendOnly: true });
        try {
          await weather('storm_redis', server.url);
        } finally {
          await server.close();
        }
      });
    });
  });
});
