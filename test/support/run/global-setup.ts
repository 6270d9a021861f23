import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runMigrations } from 'bullmq';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { startStockPostgres } from '../../../scripts/lib/debian-postgres.mjs';
import { startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { applyMigrations } from '../../../src/platform/store/migrations/migrate.js';
import { asAdmin, databaseUrl } from '../store/databases.js';
import { divideByMonths } from '../store/months.js';
import './provided.js';
import { findRedisBinary, installRedis, startRedis } from '../processes/redis-server.js';
import { guardRun } from './guard.js';

const TEMPLATE = 'heliograph_template';

/** Test data need not survive a power failure, so PostgreSQL need not flush to disk. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  // Checkpoints are rare, because a checkpoint during a test would only cause writes.
  max_wal_size: '2GB',
  checkpoint_timeout: '1h',
  // Each test worker keeps several applications open, each with its own connection pools.
  max_connections: '400',
  // Tests open thousands of connections, for each of which PostgreSQL hashes the password 4,096 times by default.
  scram_iterations: '1',
};

/** Sets up the services once for the whole run, not once per Vitest project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const run = guardRun();
  const closers: (() => Promise<void>)[] = [async () => run.finish()];
  const teardown = async () => {
    for (const close of closers.reverse()) await close();
  };
  try {
    const postgresUrl = await startPostgres(run.folder, closers);
    await createTemplate(postgresUrl);
    const redis = await findRedis(join(run.folder, 'redis'), closers);
    project.provide('services', {
      runFolder: run.folder,
      postgresUrl,
      templateDatabase: TEMPLATE,
      strategy: process.env.TEST_POSTGRES_BIN ? 'WAL_LOG' : 'FILE_COPY',
      ...redis,
    });
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}

const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'warn' });

/** Starts the PostgreSQL in TEST_POSTGRES_BIN, or the embedded PostgreSQL if the variable is not set. */
async function startPostgres(folder: string, closers: (() => Promise<void>)[]): Promise<string> {
  const bin = process.env.TEST_POSTGRES_BIN;
  if (bin) {
    const stock = await startStockPostgres(bin, join(folder, 'postgres'));
    closers.push(() => stock.stop());
    return stock.url;
  }
  const dataDir = join(folder, 'data');
  const firstServer = await startEmbeddedPostgres({ dataDir, log });
  for (const [name, value] of Object.entries(SETTINGS)) {
    await asAdmin(firstServer.url, `ALTER SYSTEM SET ${name} = '${value}'`);
  }
  // PostgreSQL is restarted, because it reads some settings only at startup.
  await firstServer.close();
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  closers.push(() => postgres.close());
  await asAdmin(postgres.url, `ALTER ROLE CURRENT_USER PASSWORD '${new URL(postgres.url).password}'`);
  return postgres.url;
}

async function createTemplate(serverUrl: string): Promise<void> {
  const url = databaseUrl(serverUrl, TEMPLATE);
  await asAdmin(serverUrl, `CREATE DATABASE ${TEMPLATE}`);
  await applyMigrations({ url, log });
  await createQueueTables(url);
  // With TEST_DIVIDED, all tests run with messages divided by months.
  if (process.env.TEST_DIVIDED) await divideByMonths(url);
  // PostgreSQL cannot copy a database that has open connections.
  await asAdmin(serverUrl, `ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false`);
  const templateSessions = `FROM pg_stat_activity WHERE datname = '${TEMPLATE}'`;
  await asAdmin(serverUrl, `SELECT pg_terminate_backend(pid) ${templateSessions}`);
}

/** Creates the queue's tables in the template, so that no test database has to create them. */
async function createQueueTables(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

/** Uses TEST_REDIS_URL or an installed Redis, or installs Redis as root on Debian or Ubuntu. */
async function findRedis(folder: string, closers: (() => Promise<void>)[]) {
  const givenUrl = process.env.TEST_REDIS_URL;
  const redisBinary = findRedisBinary() ?? (givenUrl ? null : installRedis((line) => console.log(line)));
  if (givenUrl) return { redisUrl: givenUrl, redisBinary };
  if (!redisBinary) {
    if (process.env.CI === 'true') {
      throw new Error('CI=true, but there is no Redis: install redis-server, or set TEST_REDIS_URL.');
    }
    return { redisUrl: null, redisBinary: null };
  }
  mkdirSync(folder);
  const server = await startRedis({ binary: redisBinary, folder });
  closers.push(() => server.close());
  return { redisUrl: server.url, redisBinary };
}
