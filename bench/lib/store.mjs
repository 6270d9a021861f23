import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { pino } from 'pino';
import { atExit } from '../../chaos/world/at-exit.mjs';
import { createAccount, creditAccount } from '../../dist/accounts/accounts.js';
import { createAppKey } from '../../dist/accounts/keys.js';
import { startEmbeddedPostgres } from '../../dist/platform/embedded/embedded-postgres.js';
import { PrismaClient } from '../../dist/platform/generated/prisma/client.js';
import { applyMigrations } from '../../dist/platform/store/migrations/migrate.js';
import { readProcessorSeconds } from './processor.mjs';

const TEMPLATE = 'bench_template';
const log = pino({ level: 'warn' });

/** The credit is enough for ten million segments. */
const CREDIT_MICROS = 100_000_000_000n;

/** Reads the number of executions and the total seconds of each SQL statement, in all databases. */
const STATEMENTS = `SELECT d.datname AS database, s.query, s.calls::int, s.total_exec_time / 1000 AS seconds
  FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid`;

/**
 * Starts a PostgreSQL server as `npm start` does, with durable commits and default settings. Each measurement gets a new
 * database, which is copied from a template that contains the schema, an account and an API key.
 * @param {{countStatements?: boolean}} [options]
 */
export async function startStore({ countStatements = false } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-bench-'));
  chmodSync(dataDir, 0o755);
  let postgres = await startEmbeddedPostgres({ dataDir, log });
  if (countStatements) {
    await queryOnce(postgres.url, `ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`);
    await postgres.close();
    postgres = await startEmbeddedPostgres({ dataDir, log });
  }
  const readPostmasterPid = () => Number(readFileSync(join(postgres.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  const unregister = atExit(() => {
    try {
      process.kill(readPostmasterPid(), 'SIGQUIT');
    } catch {
      // PostgreSQL has already stopped.
    }
    remove();
  });
  const toDatabaseUrl = (name) => Object.assign(new URL(postgres.url), { pathname: `/${name}` }).toString();
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  if (countStatements) await admin.query('CREATE EXTENSION pg_stat_statements');
  await admin.query(`CREATE DATABASE ${TEMPLATE}`);
  await applyMigrations({ url: toDatabaseUrl(TEMPLATE), log });
  const apiKey = await createBenchmarkAccount(toDatabaseUrl(TEMPLATE));
  return {
    apiKey,
    readProcessorSeconds: () => readProcessorSeconds(readPostmasterPid()),
    /** Returns the figures of all statements since the start or the previous call. */
    async takeStatements() {
      const { rows } = await admin.query(STATEMENTS);
      await admin.query('SELECT pg_stat_statements_reset()');
      return rows;
    },
    async create(name) {
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
      return toDatabaseUrl(name);
    },
    async drop(name) {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query('CHECKPOINT');
    },
    async close() {
      await admin.end();
      await postgres.close();
      unregister();
      remove();
    },
  };
}

async function queryOnce(connectionString, text) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text);
  await client.end();
}

async function createBenchmarkAccount(connectionString) {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) });
  try {
    const { id: accountId } = await createAccount(prisma, { name: 'Benchmark' });
    await creditAccount(prisma, { accountId, amountMicros: CREDIT_MICROS });
    return (await createAppKey(prisma, { accountId, name: 'Benchmark', scopes: ['rest'] })).key;
  } finally {
    await prisma.$disconnect();
  }
}
