import type pg from 'pg';
import type { Logger } from 'pino';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { AlreadyRunningError, startEmbeddedPostgres } from '../platform/embedded/embedded-postgres.js';
import { urlOfRunning } from '../platform/embedded/running.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { quietLogging } from '../platform/log/quiet-logging.js';
import { applyMigrations } from '../platform/store/migrate.js';
import { LONG_PATIENCE_MS, openPool, openPrisma } from '../platform/store/pool.js';
import { type Config, loadConfig } from '../process/config.js';
import type { CliContext } from './context.js';
import { explain } from './explain.js';

interface StoreAddress {
  url: string;
  /** Ends what was started for this command. */
  close(): Promise<void>;
}

/**
 * Runs a command on the store of the configuration: DATABASE_URL, else the embedded PostgreSQL of DATA_DIR. Where that
 * runs already, the command works beside its server; else it is started, brought up to date, and stopped again.
 */
export function withStore<T>(
  context: CliContext,
  work: (prisma: PrismaClient, pool: pg.Pool) => Promise<T>,
): Promise<T> {
  return atStore(context, async (url, log) => {
    const pool = openPool({ url, size: 2, log, patienceMs: LONG_PATIENCE_MS });
    try {
      await expectConnection(pool);
      return await work(openPrisma(pool), pool);
    } finally {
      await pool.end();
    }
  });
}

/** Brings the tables of the configured store up to date. */
export async function migrateStore(context: CliContext): Promise<void> {
  await atStore(context, (url, log) => applyMigrations({ url, log }));
}

async function atStore<T>(context: CliContext, work: (url: string, log: Logger) => Promise<T>): Promise<T> {
  const log = commandLog();
  const address = await findStore(loadConfig(context.env), log);
  try {
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

/** Warnings of a command go to standard error: standard output holds its result alone. */
function commandLog(): Logger {
  return pino({ ...quietLogging(), level: 'warn', base: null }, pretty({ destination: 2, sync: true }));
}

async function findStore(config: Pick<Config, 'databaseUrl' | 'dataDir'>, log: Logger): Promise<StoreAddress> {
  const given = config.databaseUrl ?? (await urlOfRunning(config.dataDir));
  if (given) return { url: given, close: async () => undefined };
  try {
    return await startStore(config.dataDir, log);
  } catch (error) {
    // Another process has started the store since it was looked for.
    const url = error instanceof AlreadyRunningError ? await urlOfRunning(config.dataDir) : null;
    if (!url) throw error;
    return { url, close: async () => undefined };
  }
}

async function startStore(dataDir: string, log: Logger): Promise<StoreAddress> {
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await applyMigrations({ url: postgres.url, log });
    return postgres;
  } catch (error) {
    await postgres.close();
    throw error;
  }
}
