import { rmSync } from 'node:fs';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { applyMigrations } from '../../../src/platform/store/migrate.js';
import { openFolder } from '../open-folder.js';
import { asAdmin, databaseUrl } from '../store/databases.js';
import './provided.js';
import { findRedisBinary, installRedis, startRedis } from '../processes/redis-server.js';

const TEMPLATE = 'heliograph_template';

/** Starts what every test file shares: one PostgreSQL with a migrated template database, and one Redis. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const closers: (() => Promise<void>)[] = [];
  const teardown = async () => {
    for (const close of closers.reverse()) await close();
  };
  try {
    const postgresUrl = await startPostgres(closers);
    const redis = await findRedis(closers);
    project.provide('services', { postgresUrl, templateDatabase: TEMPLATE, ...redis });
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}

async function startPostgres(closers: (() => Promise<void>)[]): Promise<string> {
  const dataDir = openFolder('heliograph-test-');
  closers.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'warn' });
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  closers.push(() => postgres.close());
  // No test cuts the machine's power: what a process or a server loses by dying does not depend on fsync.
  await asAdmin(postgres.url, 'ALTER SYSTEM SET fsync = off');
  await asAdmin(postgres.url, 'SELECT pg_reload_conf()');
  await asAdmin(postgres.url, `CREATE DATABASE ${TEMPLATE}`);
  await applyMigrations({ url: databaseUrl(postgres.url, TEMPLATE), log });
  // A database that somebody is connected to cannot be copied.
  await asAdmin(postgres.url, `ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false`);
  const others = `FROM pg_stat_activity WHERE datname = '${TEMPLATE}'`;
  await asAdmin(postgres.url, `SELECT pg_terminate_backend(pid) ${others}`);
  return postgres.url;
}

/** TEST_REDIS_URL, else a server of this machine, else (as root on Debian or Ubuntu) an installed one, else none. */
async function findRedis(closers: (() => Promise<void>)[]) {
  const givenUrl = process.env.TEST_REDIS_URL;
  const redisBinary = findRedisBinary() ?? (givenUrl ? null : installRedis((line) => console.log(line)));
  if (givenUrl) return { redisUrl: givenUrl, redisBinary };
  if (!redisBinary) {
    if (process.env.CI === 'true') {
      throw new Error('CI=true, and there is no Redis: install redis-server, or set TEST_REDIS_URL.');
    }
    return { redisUrl: null, redisBinary: null };
  }
  const server = await startRedis({ binary: redisBinary });
  closers.push(() => server.close());
  return { redisUrl: server.url, redisBinary };
}
