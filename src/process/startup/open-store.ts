import type { Logger } from 'pino';
import { toDemoBaseUrl } from '../../features/demo/keys-file.js';
import { seedDemo } from '../../features/demo/seed.js';
import { adoptChangeHistory } from '../../messages/changes/changes-store.js';
import { LANES } from '../../messages/lanes.js';
import type { Clock } from '../../platform/clock.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../platform/embedded/embedded-postgres.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { type MeasuredPool, openPool, openPrisma } from '../../platform/store/connections/pool.js';
import { requireSameDatabase } from '../../platform/store/connections/pooler.js';
import { readConnectionLimit } from '../../platform/store/facts-store.js';
import { applyMigrations } from '../../platform/store/migrations/migrate.js';
import { requireNotMoved } from '../../platform/store/moved-store.js';
import type { Closers } from '../closers.js';
import type { Config } from '../settings/config.js';
import { type ConnectionShares, shareConnections } from './connections.js';
import { describeDataLocations } from './data-locations.js';
import { type ReleasedLeases, releaseLeases } from './release-leases.js';

export interface PoolTarget {
  url: string;
  isPooled: boolean;
}

/** Information about the store that the primary process passes to its members. */
export interface SharedStore {
  /** Connects to PostgreSQL without a pooler, for the queue, LISTEN, migrations and backups. */
  url: string;
  /** Address for connections that may go through a pooler, as they do if DATABASE_DIRECT_URL is set. */
  poolTarget: PoolTarget;
  folder: string | null;
  /** The value is null for an external store, whose leases may belong to running servers. */
  released: ReleasedLeases | null;
}

export interface OpenStore extends SharedStore {
  /** Rejects when the embedded PostgreSQL is lost. */
  lost: Promise<void> | null;
  connections: ConnectionShares;
  pool: MeasuredPool;
  /** For statements that find rows by key only (see `openPool`). */
  byKey: MeasuredPool;
  /** Uses `pool`. */
  prisma: PrismaClient;
}

export interface OpenStoreOptions {
  config: Config;
  log: Logger;
  clock: Clock;
  closers: Closers;
  announce(text: string): void;
  shared?: SharedStore;
}

/**
 * Starts the embedded PostgreSQL, applies migrations, and creates the demo account, unless another process has prepared the
 * store.
 */
export async function openStore(options: OpenStoreOptions): Promise<OpenStore> {
  const { config, log, closers, shared } = options;
  const sharedStore = shared ?? (await startStore(options));
  const { url, poolTarget, folder } = sharedStore;

  const connections = shareConnections({
    budget: config.databasePoolSize,
    sends: config.role !== 'api',
    serves: config.role !== 'worker',
    queueInStore: config.redisUrl === undefined,
    workerConcurrency: config.workerConcurrency,
    lanes: LANES.length,
  });
  const pool = openPool({ ...poolTarget, size: connections.general, log, patienceMs: config.databaseTimeoutMs });
  closers.add(() => pool.end());
  const byKey = openPool({ ...poolTarget, size: connections.byKey, log, byKeyOnly: true });
  closers.add(() => byKey.end());
  const prisma = openPrisma(pool);
  closers.add(() => prisma.$disconnect());
  // `heliograph move` may have started after the migrations, while this process had no connection that it could detect.
  await requireNotMoved(pool);
  const released = shared ? shared.released : await seedAndRelease(options, { pool, byKey, prisma, folder });
  const lost = 'lost' in sharedStore ? sharedStore.lost : null;
  return { url, poolTarget, folder, lost, connections, pool, byKey, prisma, released };
}

export interface PreparedStore extends SharedStore {
  lost: Promise<void> | null;
  /** For non-superusers. */
  connectionLimit: number;
}

const PREPARING_CONNECTIONS = 2;

export async function prepareStore(
  options: Omit<OpenStoreOptions, 'shared'> & { connections: number },
): Promise<PreparedStore> {
  const { log } = options;
  const { url, poolTarget, folder, lost } = await startStore(options);
  const pool = openPool({ url, size: PREPARING_CONNECTIONS, log });
  const prisma = openPrisma(pool);
  try {
    const released = await seedAndRelease(options, { pool, byKey: pool, prisma, folder });
    return { url, poolTarget, folder, lost, released, connectionLimit: await readConnectionLimit(pool) };
  } finally {
    await prisma.$disconnect();
    await pool.end();
  }
}

interface StartedStore {
  url: string;
  poolTarget: PoolTarget;
  folder: string | null;
  lost: Promise<void> | null;
}

async function startStore(options: OpenStoreOptions & { connections?: number }): Promise<StartedStore> {
  const { config, log, closers, connections } = options;
  const { dataDir } = config;
  const address = config.listens && config.port !== 0 ? toDemoBaseUrl(config.host, config.port) : undefined;
  const usedBy = { kind: 'server', address } as const;
  const embedded = config.databaseUrl ? null : await startEmbeddedPostgres({ dataDir, log, connections, usedBy });
  if (embedded) closers.add(() => embedded.close());
  const databaseUrl = config.databaseUrl ?? (embedded as EmbeddedPostgres).url;
  const directUrl = config.databaseDirectUrl;
  const url = directUrl ?? databaseUrl;
  const folder = embedded?.data ?? null;
  log.info(describeDataLocations(config, folder));
  const setting = directUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  await applyMigrations({ url, setting, log, allowNewer: config.allowNewerStore });
  if (directUrl !== undefined) {
    await requireSameDatabase({ setting: 'DATABASE_URL', url: databaseUrl }, { setting, url: directUrl });
  }
  const poolTarget = { url: databaseUrl, isPooled: directUrl !== undefined };
  return { url, poolTarget, folder, lost: embedded?.closed ?? null };
}

async function seedAndRelease(
  { config, log, clock, announce }: OpenStoreOptions,
  { pool, byKey, prisma, folder }: Pick<OpenStore, 'pool' | 'byKey' | 'prisma' | 'folder'>,
): Promise<ReleasedLeases | null> {
  await adoptChangeHistory(byKey);
  if (config.seedDemo ?? folder !== null) {
    const { dataDir, consoleUrl, localUrl } = config;
    const baseUrl = localUrl ?? toDemoBaseUrl(config.host, config.port);
    await seedDemo({ prisma, clock, dataDir, baseUrl, consoleUrl, announce });
  }
  return folder === null ? null : await releaseLeases(pool, log);
}
