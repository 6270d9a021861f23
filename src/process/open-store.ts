import type { Logger } from 'pino';
import { demoBaseUrl } from '../features/demo/keys-file.js';
import { seedDemo } from '../features/demo/seed.js';
import { adoptChanges } from '../messages/changes/changes-store.js';
import { LANES } from '../messages/queue/lanes.js';
import type { Clock } from '../platform/clock.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/embedded/embedded-postgres.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { applyMigrations } from '../platform/store/migrate.js';
import { type MeasuredPool, openPool, openPrisma, REQUEST_PATIENCE_MS } from '../platform/store/pool.js';
import type { Closers } from './closers.js';
import { type ConnectionShares, shareConnections } from './connections.js';
import { type ReleasedLeases, releaseLeases } from './release-leases.js';
import type { Config } from './settings/config.js';
import { whereThingsLie } from './where.js';

/** The store of a process, up to date, and the pools that every process has. */
export interface OpenStore {
  /** Null where DATABASE_URL names another PostgreSQL. */
  embedded: EmbeddedPostgres | null;
  url: string;
  connections: ConnectionShares;
  /** For accepting, and for every ordinary query. */
  pool: MeasuredPool;
  /** Reaches rows by key only (see openPool). */
  byKey: MeasuredPool;
  /** On `pool`. */
  prisma: PrismaClient;
  /** Null where other processes may be at work on this store. */
  released: ReleasedLeases | null;
}

export interface OpenStoreOptions {
  config: Config;
  log: Logger;
  clock: Clock;
  closers: Closers;
  /** Shows a text to the operator. */
  announce(text: string): void;
}

/**
 * Starts the embedded PostgreSQL unless another is configured, brings the tables up to date, opens the pools, and seeds
 * the demo account where that is asked for.
 * @throws when the store cannot be reached, migrated or seeded
 */
export async function openStore({ config, log, clock, closers, announce }: OpenStoreOptions): Promise<OpenStore> {
  const embedded = config.databaseUrl ? null : await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  if (embedded) closers.add(() => embedded.close());
  const url = config.databaseUrl ?? (embedded as EmbeddedPostgres).url;
  log.info(whereThingsLie(config, embedded?.data ?? null));
  await applyMigrations({ url, log, allowNewer: config.allowNewerStore });

  const connections = shareConnections({
    budget: config.databasePoolSize,
    works: config.role !== 'api',
    serves: config.role !== 'worker',
    queueInStore: config.redisUrl === undefined,
    workerConcurrency: config.workerConcurrency,
    lanes: LANES.length,
  });
  const pool = openPool({ url, size: connections.general, log, patienceMs: REQUEST_PATIENCE_MS });
  closers.add(() => pool.end());
  const byKey = openPool({ url, size: connections.byKey, log, byKeyOnly: true });
  closers.add(() => byKey.end());
  await adoptChanges(byKey);
  const prisma = openPrisma(pool);
  closers.add(() => prisma.$disconnect());

  if (config.seedDemo ?? embedded !== null) {
    const { dataDir, consoleUrl } = config;
    await seedDemo({ prisma, clock, dataDir, baseUrl: demoBaseUrl(config.host, config.port), consoleUrl, announce });
  }
  // No other process can be at work on an embedded store.
  const released = embedded ? await releaseLeases(pool) : null;
  return { embedded, url, connections, pool, byKey, prisma, released };
}
