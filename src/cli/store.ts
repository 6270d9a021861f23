import type pg from 'pg';
import type { Logger } from 'pino';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { LockedAccounts } from '../accounts/locked-accounts.js';
import { openBackupConnection } from '../platform/backup/snapshot-store.js';
import { hasCluster } from '../platform/embedded/cluster/prepare-cluster.js';
import { startEmbeddedPostgres } from '../platform/embedded/embedded-postgres.js';
import { type OpenedStore, openEmbeddedStore } from '../platform/embedded/use-store.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { createQuietOptions } from '../platform/log/quiet-logging.js';
import { findBrokenLink } from '../platform/machine/data-folder.js';
import { LONG_TIMEOUT_MS, openPool, openPrisma } from '../platform/store/connections/pool.js';
import { applyMigrations } from '../platform/store/migrations/migrate.js';
import { requireNotMoved } from '../platform/store/moved-store.js';
import { describeStoreUrl } from '../platform/store/redact-url.js';
import { type Config, loadConfig } from '../process/settings/config.js';
import type { CliContext } from './context.js';
import { explain } from './explain.js';

interface StoreAddress {
  url: string;
  /** Describes the store without a password. */
  location: string;
  close(): Promise<void>;
}

/** An embedded PostgreSQL that is not running is started, migrated, and stopped afterwards. */
export function withStore<T>(
  context: CliContext,
  work: (prisma: PrismaClient, pool: pg.Pool, lockedAccounts: LockedAccounts) => Promise<T>,
): Promise<T> {
  return atStore(context, {}, async (url, log) => {
    const pool = openPool({ url, size: 2, log, patienceMs: LONG_TIMEOUT_MS });
    try {
      await expectConnection(pool);
      return await work(openPrisma(pool), pool, new LockedAccounts(pool, LONG_TIMEOUT_MS));
    } finally {
      await pool.end();
    }
  });
}

export async function migrateStore(context: CliContext): Promise<string[]> {
  const { allowNewerStore: allowNewer } = loadConfig(context.env);
  return atStore(context, { skipsMigrations: true, logsProgress: true }, (url, log) =>
    applyMigrations({ url, log, allowNewer }),
  );
}

export interface StoreUse {
  skipsMigrations?: boolean;
  mayCreate?: boolean;
  /** Locks the embedded store, so that no server can use it during the command. */
  isExclusive?: boolean;
  acceptsMoved?: boolean;
  logsProgress?: boolean;
}

export async function atStore<T>(
  context: CliContext,
  requirements: StoreUse,
  work: (url: string, log: Logger) => Promise<T>,
): Promise<T> {
  const log = commandLog(requirements.logsProgress ? 'info' : 'warn');
  const address = await findStore(loadConfig(context.env), requirements, log);
  try {
    context.showStore?.(`Store: ${address.location}`);
    if (!requirements.acceptsMoved) await rejectMoved(address.url);
    return await work(address.url, log);
  } finally {
    await address.close();
  }
}

async function expectConnection(pool: pg.Pool): Promise<void> {
  try {
    await pool.query('SELECT 1');
  } catch (cause) {
    throw new Error(`PostgreSQL cannot be reached: ${explain(cause)}`, { cause });
  }
}

/** Rejects a store that was moved, because changes to it would be lost. */
async function rejectMoved(url: string): Promise<void> {
  const client = await openBackupConnection(url);
  try {
    await requireNotMoved(client);
  } finally {
    await client.end();
  }
}

/** Logs to standard error, because standard output contains only the result. */
export function commandLog(level: 'info' | 'warn'): Logger {
  return pino({ ...createQuietOptions(), level, base: null }, pretty({ destination: 2, sync: true }));
}

async function findStore(
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir' | 'allowNewerStore'>,
  requirements: StoreUse,
  log: Logger,
): Promise<StoreAddress> {
  const { databaseUrl, databaseDirectUrl, dataDir, allowNewerStore: allowNewer } = config;
  const close = async () => undefined;
  // Commands bypass the pooler, because they need few connections and some need session state.
  if (databaseDirectUrl)
    return {
      url: databaseDirectUrl,
      location: `PostgreSQL at ${describeStoreUrl(databaseDirectUrl)} (DATABASE_DIRECT_URL)`,
      close,
    };
  if (databaseUrl)
    return { url: databaseUrl, location: `PostgreSQL at ${describeStoreUrl(databaseUrl)} (DATABASE_URL)`, close };
  const description = `the embedded PostgreSQL of ${dataDir} (DATA_DIR)`;
  if (!requirements.mayCreate) await expectCluster(dataDir);
  const store = requirements.isExclusive
    ? await startExclusively(dataDir, log)
    : await openEmbeddedStore({ dataDir, log });
  try {
    if (!store.isServed && !requirements.skipsMigrations) await applyMigrations({ url: store.url, log, allowNewer });
  } catch (error) {
    await store.close();
    throw error;
  }
  return { url: store.url, location: description, close: () => store.close() };
}

/** @throws {AlreadyRunningError} */
async function startExclusively(dataDir: string, log: Logger): Promise<OpenedStore> {
  const postgres = await startEmbeddedPostgres({ dataDir, log, usedBy: { kind: 'command' } });
  return { url: postgres.url, isServed: false, close: () => postgres.close() };
}

/** Rejects a folder without a store, because a command that runs in the wrong folder must not create a store. */
export async function expectCluster(dataDir: string): Promise<void> {
  if (await hasCluster(dataDir)) return;
  const link = await findBrokenLink(dataDir);
  if (link) throw new Error(`There is no Heliograph data in ${dataDir} (DATA_DIR): ${link}`);
  throw new Error(
    `There is no Heliograph data in ${dataDir} (DATA_DIR). Run the command in the folder where the server was started, ` +
      'or set DATA_DIR or DATABASE_URL. The first start of the server creates the data.',
  );
}
