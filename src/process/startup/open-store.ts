import type { Logger } from 'pino';
import { demoBaseUrl } from '../../features/demo/keys-file.js';
import { seedDemo } from '../../features/demo/seed.js';
import { adoptChangeHistory } from '../../messages/changes/changes-store.js';
import { LANES } from '../../messages/lanes.js';
import type { Clock } from '../../platform/clock.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../platform/embedded/embedded-postgres.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { type MeasuredPool, openPool, openPrisma } from '../../platform/store/connections/pool.js';
import { readConnectionLimit } from '../../platform/store/facts-store.js';
import { applyMigrations } from '../../platform/store/migrations/migrate.js';
import { expectNotMoved } from '../../platform/store/moved-store.js';
import { expectSameDatabase } from '../../platform/store/reaching/pooler.js';
import type { Closers } from '../closers.js';
import type { Config } from '../settings/config.js';
import { type ConnectionShares, shareConnections } from './connections.js';
import { describeDataLocations } from './data-locations.js';
import { type ReleasedLeases, releaseLeases } from './release-leases.js';

/** The way of pools to the store, as `openPool` takes it. */
export interface StoreWay {
  url: string;
  isPooled: boolean;
}

/** A store that is up to date, which several processes of one start share. */
export interface SharedStore {
  /** Leads to PostgreSQL itself, for what needs a connection of its own: the queue, LISTEN, migrations, backups. */
  url: string;
  /** How all else is asked: by a pooler where DATABASE_DIRECT_URL is set. */
  way: StoreWay;
  /** Folder of the embedded PostgreSQL; null where DATABASE_URL names another. */
  folder: string | null;
  /** Null where others may be at work on this store. */
  released: ReleasedLeases | null;
}

/** The store of a process, up to date, and the pools that every process has. */
export interface OpenStore extends SharedStore {
  /** Rejects when the embedded PostgreSQL of this process is lost for good; null where it has none. */
  lost: Promise<void> | null;
  connections: ConnectionShares;
  /** For accepting, and for every ordinary query. */
  pool: MeasuredPool;
  /** Reaches rows by key only (see openPool). */
  byKey: MeasuredPool;
  /** On `pool`. */
  prisma: PrismaClient;
}

export interface OpenStoreOptions {
  config: Config;
  log: Logger;
  clock: Clock;
  closers: Closers;
  /** Shows a text to the operator. */
  announce(text: string): void;
  /** What the first process of this start has prepared; undefined: this process does it itself. */
  shared?: SharedStore;
}

/**
 * Starts the embedded PostgreSQL unless another is configured, brings the tables up to date, opens the pools, and seeds
 * the demo account where that is asked for. What is shared is there by then, and is only connected to.
 * @throws when the store cannot be reached, migrated or seeded
 */
export async function openStore(options: OpenStoreOptions): Promise<OpenStore> {
  const { config, log, closers, shared } = options;
  const begun = shared ?? (await beginStore(options));
  const { url, way, folder } = begun;

  const connections = shareConnections({
    budget: config.databasePoolSize,
    works: config.role !== 'api',
    serves: config.role !== 'worker',
    queueInStore: config.redisUrl === undefined,
    workerConcurrency: config.workerConcurrency,
    lanes: LANES.length,
  });
  const pool = openPool({ ...way, size: connections.general, log, patienceMs: config.databaseTimeoutMs });
  closers.add(() => pool.end());
  const byKey = openPool({ ...way, size: connections.byKey, log, byKeyOnly: true });
  closers.add(() => byKey.end());
  const prisma = openPrisma(pool);
  closers.add(() => prisma.$disconnect());
  // Between the migrations and this connection a move saw nobody here.
  await expectNotMoved(pool);
  const released = shared ? shared.released : await fillStore(options, { pool, byKey, prisma, folder });
  const lost = 'lost' in begun ? begun.lost : null;
  return { url, way, folder, lost, connections, pool, byKey, prisma, released };
}

/** A store that is up to date, and what is known of it. */
export interface PreparedStore extends SharedStore {
  /** Rejects when the embedded PostgreSQL is lost for good; null where DATABASE_URL names another. */
  lost: Promise<void> | null;
  /** Connections that PostgreSQL takes from anybody. */
  connectionLimit: number;
}

/** Connections of a process that only prepares the store; they are closed by then. */
const PREPARING_CONNECTIONS = 2;

/**
 * Brings the store up to date for the processes that this one starts.
 * @param connections that the embedded PostgreSQL must take at the least
 * @throws as `openStore`
 */
export async function prepareStore(
  options: Omit<OpenStoreOptions, 'shared'> & { connections: number },
): Promise<PreparedStore> {
  const { log } = options;
  const { url, way, folder, lost } = await beginStore(options);
  const pool = openPool({ url, size: PREPARING_CONNECTIONS, log });
  const prisma = openPrisma(pool);
  try {
    const released = await fillStore(options, { pool, byKey: pool, prisma, folder });
    return { url, way, folder, lost, released, connectionLimit: await readConnectionLimit(pool) };
  } finally {
    await prisma.$disconnect();
    await pool.end();
  }
}

interface BegunStore {
  url: string;
  way: StoreWay;
  folder: string | null;
  lost: Promise<void> | null;
}

async function beginStore(options: OpenStoreOptions & { connections?: number }): Promise<BegunStore> {
  const { config, log, closers, connections } = options;
  const { dataDir } = config;
  const address = config.listens && config.port !== 0 ? demoBaseUrl(config.host, config.port) : undefined;
  const usedBy = { kind: 'server', address } as const;
  const embedded = config.databaseUrl ? null : await startEmbeddedPostgres({ dataDir, log, connections, usedBy });
  if (embedded) closers.add(() => embedded.close());
  const named = config.databaseUrl ?? (embedded as EmbeddedPostgres).url;
  const direct = config.databaseDirectUrl;
  const url = direct ?? named;
  const folder = embedded?.data ?? null;
  log.info(describeDataLocations(config, folder));
  const setting = direct === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  await applyMigrations({ url, setting, log, allowNewer: config.allowNewerStore });
  if (direct !== undefined) {
    await expectSameDatabase({ setting: 'DATABASE_URL', url: named }, { setting, url: direct });
  }
  return { url, way: { url: named, isPooled: direct !== undefined }, folder, lost: embedded?.closed ?? null };
}

async function fillStore(
  { config, log, clock, announce }: OpenStoreOptions,
  { pool, byKey, prisma, folder }: Pick<OpenStore, 'pool' | 'byKey' | 'prisma' | 'folder'>,
): Promise<ReleasedLeases | null> {
  await adoptChangeHistory(byKey);
  if (config.seedDemo ?? folder !== null) {
    const { dataDir, consoleUrl, localUrl } = config;
    const baseUrl = localUrl ?? demoBaseUrl(config.host, config.port);
    await seedDemo({ prisma, clock, dataDir, baseUrl, consoleUrl, announce });
  }
  // No other process can be at work on an embedded store.
  return folder === null ? null : await releaseLeases(pool, log);
}
