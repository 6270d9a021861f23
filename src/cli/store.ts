import type pg from 'pg';
import type { Logger } from 'pino';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { HeldAccounts } from '../accounts/held-accounts.js';
import { connectTo } from '../platform/backup/snapshot-store.js';
import { hasCluster } from '../platform/embedded/cluster/places.js';
import { startEmbeddedPostgres } from '../platform/embedded/embedded-postgres.js';
import { type StoreInUse, useStore } from '../platform/embedded/use-store.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { quietLogging } from '../platform/log/quiet-logging.js';
import { findBrokenLink } from '../platform/machine/data-folder.js';
import { LONG_PATIENCE_MS, openPool, openPrisma } from '../platform/store/connections/pool.js';
import { applyMigrations } from '../platform/store/migrations/migrate.js';
import { expectNotMoved } from '../platform/store/moved-store.js';
import { placeOf } from '../platform/store/place.js';
import { type Config, loadConfig } from '../process/settings/config.js';
import type { CliContext } from './context.js';
import { explain } from './explain.js';

interface StoreAddress {
  url: string;
  /** Where it is, without a password. */
  place: string;
  /** Ends what was started for this command. */
  close(): Promise<void>;
}

/**
 * Runs a command on the store of the configuration: DATABASE_URL, else the embedded PostgreSQL of DATA_DIR. Where that
 * runs already, the command works beside its server; else it is started, brought up to date, and stopped again.
 */
export function withStore<T>(
  context: CliContext,
  work: (prisma: PrismaClient, pool: pg.Pool, held: HeldAccounts) => Promise<T>,
): Promise<T> {
  return atStore(context, {}, async (url, log) => {
    const pool = openPool({ url, size: 2, log, patienceMs: LONG_PATIENCE_MS });
    try {
      await expectConnection(pool);
      return await work(openPrisma(pool), pool, new HeldAccounts(pool, LONG_PATIENCE_MS));
    } finally {
      await pool.end();
    }
  });
}

/**
 * Brings the tables of the configured store up to date, as a start of the server would.
 * @returns the names of the migrations that it applied
 */
export async function migrateStore(context: CliContext): Promise<string[]> {
  const { allowNewerStore: allowNewer } = loadConfig(context.env);
  return atStore(context, { asItIs: true, tells: true }, (url, log) => applyMigrations({ url, log, allowNewer }));
}

/** How a command uses the store, where that is not as most do. */
export interface StoreUse {
  /** Whether an embedded store that is started for the command stays at the version that it has. */
  asItIs?: boolean;
  /** Whether a first start may make the embedded store. */
  mayMake?: boolean;
  /** Whether no server may use the embedded store meanwhile; it is locked against one that would start. */
  alone?: boolean;
  /** Whether it may be a store whose contents were moved away. */
  evenMoved?: boolean;
  /** Whether the log of what is done goes to standard error too, not warnings alone: of a command that may take minutes. */
  tells?: boolean;
}

/**
 * Runs a command on the URL of the configured store.
 * @throws when there is no store: only the server, and what may, make one
 */
export async function atStore<T>(
  context: CliContext,
  use: StoreUse,
  work: (url: string, log: Logger) => Promise<T>,
): Promise<T> {
  const log = commandLog(use.tells ? 'info' : 'warn');
  const address = await findStore(loadConfig(context.env), use, log);
  try {
    context.tellStore?.(`Store: ${address.place}`);
    if (!use.evenMoved) await refuseMoved(address.url);
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

/** A command in the folder of before would else change what nobody looks at any more. @throws that says where it went */
async function refuseMoved(url: string): Promise<void> {
  const client = await connectTo(url);
  try {
    await expectNotMoved(client);
  } finally {
    await client.end();
  }
}

/** What a command logs goes to standard error: standard output holds its result alone. */
export function commandLog(level: 'info' | 'warn'): Logger {
  return pino({ ...quietLogging(), level, base: null }, pretty({ destination: 2, sync: true }));
}

async function findStore(
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir' | 'allowNewerStore'>,
  use: StoreUse,
  log: Logger,
): Promise<StoreAddress> {
  const { databaseUrl, databaseDirectUrl, dataDir, allowNewerStore: allowNewer } = config;
  const close = async () => undefined;
  // A command needs few connections, and some need them for more than a transaction.
  if (databaseDirectUrl)
    return {
      url: databaseDirectUrl,
      place: `PostgreSQL at ${placeOf(databaseDirectUrl)} (DATABASE_DIRECT_URL)`,
      close,
    };
  if (databaseUrl) return { url: databaseUrl, place: `PostgreSQL at ${placeOf(databaseUrl)} (DATABASE_URL)`, close };
  const place = `the embedded PostgreSQL of ${dataDir} (DATA_DIR)`;
  if (!use.mayMake) await expectCluster(dataDir);
  const store = use.alone ? await startAlone(dataDir, log) : await useStore({ dataDir, log });
  try {
    if (!store.isServed && !use.asItIs) await applyMigrations({ url: store.url, log, allowNewer });
  } catch (error) {
    await store.close();
    throw error;
  }
  return { url: store.url, place, close: () => store.close() };
}

/** @throws {AlreadyRunningError} when a server or another command uses the store */
async function startAlone(dataDir: string, log: Logger): Promise<StoreInUse> {
  const postgres = await startEmbeddedPostgres({ dataDir, log, usedBy: { kind: 'command' } });
  return { url: postgres.url, isServed: false, close: () => postgres.close() };
}

/** A command in the wrong folder would else make a store that nobody asked for. @throws where there is no store */
export async function expectCluster(dataDir: string): Promise<void> {
  if (await hasCluster(dataDir)) return;
  const link = await findBrokenLink(dataDir);
  if (link) throw new Error(`There is no data of Heliograph in ${dataDir} (DATA_DIR): ${link}`);
  throw new Error(
    `There is no data of Heliograph in ${dataDir} (DATA_DIR). Run the command in the folder where the server was started, ` +
      'or set DATA_DIR or DATABASE_URL. The first start of the server makes the data.',
  );
}
