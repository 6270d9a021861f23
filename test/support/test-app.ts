import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { inject } from 'vitest';
import type { CarrierType } from '../../src/carriers/carrier-type.js';
import type { Clock } from '../../src/platform/clock.js';
import type { FaultPoints } from '../../src/platform/faults.js';
import type { ResolveTxt } from '../../src/platform/net/txt-records.js';
import { buildApp } from '../../src/process/serving/app.js';
import { type Config, loadConfig } from '../../src/process/settings/config.js';
import type { Deps } from '../../src/process/startup/deps.js';
import { openDeps } from '../../src/process/startup/open-deps.js';
import type { Backend } from './backends.js';
import { testLog } from './logged-errors.js';
import { createTestDatabase } from './store/databases.js';

export interface TestAppOptions {
  /** Default: PostgreSQL. */
  backend?: Backend;
  role?: 'all' | 'api' | 'worker';
  /** Environment variables, e.g. `{ SMS_MAX_CHARS: '0' }`. */
  settings?: Readonly<Record<string, string>>;
  carrierTypes?: readonly CarrierType[];
  clock?: Clock;
  faults?: FaultPoints;
  /** Looks up TXT records. Default: there are none, so that tests stay offline. */
  resolveTxt?: ResolveTxt;
  log?: Logger;
  /** Another application whose database and queue are shared, as by a second process. */
  sharesWith?: TestApp;
}

export interface TestApp {
  app: FastifyInstance;
  deps: Deps;
  config: Config;
  backend: Backend;
  databaseUrl: string;
  queuePrefix: string;
  /** Closes the application, and drops the database unless another application owns it. */
  close(): Promise<void>;
}

/** Opens an application without demo data, rate limits or a simulator delay, unless `settings` enable them. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const backend = options.sharesWith?.backend ?? options.backend ?? 'postgres';
  const database = options.sharesWith ? null : await createTestDatabase();
  const databaseUrl = options.sharesWith?.databaseUrl ?? database?.url ?? '';
  const queuePrefix = options.sharesWith?.queuePrefix ?? `test-${randomBytes(6).toString('hex')}`;
  const closers: (() => Promise<unknown>)[] = [];
  if (database) closers.push(() => database.drop());
  if (database && backend === 'redis') closers.push(() => removeKeys(queuePrefix));
  const close = async () => {
    const errors: unknown[] = [];
    for (const closeResource of closers.splice(0).reverse()) await closeResource().catch((error) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  };
  try {
    const config = loadConfig({
      ...testSettings(backend),
      DATABASE_URL: databaseUrl,
      QUEUE_PREFIX: queuePrefix,
      ROLE: options.role ?? 'all',
      ...options.settings,
    });
    const log = options.log ?? testLog();
    const deps = await openDeps(config, {
      log,
      clock: options.clock,
      faults: options.faults,
      resolveTxt: options.resolveTxt ?? (async () => []),
      carrierTypes: options.carrierTypes,
    });
    closers.push(() => deps.close());
    const app = await buildApp(config, deps);
    closers.push(() => app.close());
    await app.ready();
    return { app, deps, config, backend, databaseUrl, queuePrefix, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Removes only the keys of the test, because other programs may use the same Redis. */
async function removeKeys(prefix: string): Promise<void> {
  const redis = new Redis(redisUrl());
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(keys);
    }
  } finally {
    redis.disconnect();
  }
}

function redisUrl(): string {
  const url = inject('services').redisUrl;
  if (!url) throw new Error('there is no Redis: use describeEachBackend or describeRedis');
  return url;
}

export function testSettings(backend: Backend): Record<string, string> {
  return {
    ...(backend === 'redis' && { REDIS_URL: redisUrl() }),
    SEED_DEMO: 'false',
    RATE_LIMIT_PER_SECOND: '0',
    SIMULATOR_DELAY_MS: '0',
    // Carriers may use loopback addresses, because stubs of vendors listen there.
    CARRIER_PRIVATE_HOSTS: '127.0.0.1',
    // Long timeouts keep tests from failing on slow machines, and tests of timeouts override them.
    DATABASE_TIMEOUT_MS: '60000',
    SEND_WAIT_MS: '60000',
    VERIFICATION_SECRET: 'a secret of the tests for sign-in codes',
    // Uploaded files are removed with the run's folder.
    DATA_DIR: join(inject('services').runFolder, 'files'),
  };
}
