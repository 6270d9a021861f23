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
import { processorSeconds } from './processor.mjs';

const TEMPLATE = 'bench_template';
const log = pino({ level: 'warn' });

/** More than any run can spend: ten million parts. */
const CREDIT_MICROS = 100_000_000_000n;

/** Of all databases: how often a statement was executed, and the seconds that it took. */
const STATEMENTS = `SELECT d.datname AS database, s.query, s.calls::int, s.total_exec_time / 1000 AS seconds
  FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid`;

/**
 * A PostgreSQL of the benchmark's own, as `npm start` would start it: durable, with its default settings.
 * Each run gets a database of its own, a copy of one with the migrations, an account and its key.
 * @param {{counts?: boolean}} [options] `counts`: whether it counts statements, for `statements()`
 */
export async function startStore({ counts = false } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-bench-'));
  chmodSync(dataDir, 0o755);
  let postgres = await startEmbeddedPostgres({ dataDir, log });
  if (counts) {
    await askOnce(postgres.url, `ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`);
    await postgres.close();
    postgres = await startEmbeddedPostgres({ dataDir, log });
  }
  const postmaster = () => Number(readFileSync(join(postgres.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  const closed = atExit(() => {
    try {
      process.kill(postmaster(), 'SIGQUIT');
    } catch {
      // It has ended already.
    }
    remove();
  });
  const urlOf = (name) => Object.assign(new URL(postgres.url), { pathname: `/${name}` }).toString();
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  if (counts) await admin.query('CREATE EXTENSION pg_stat_statements');
  await admin.query(`CREATE DATABASE ${TEMPLATE}`);
  await applyMigrations({ url: urlOf(TEMPLATE), log });
  const apiKey = await makeAccount(urlOf(TEMPLATE));
  return {
    apiKey,
    /** Seconds of the processors that PostgreSQL has taken; null where that is not told. */
    processorSeconds: () => processorSeconds(postmaster()),
    /** What statements took since the start, or since it was last asked. */
    async statements() {
      const { rows } = await admin.query(STATEMENTS);
      await admin.query('SELECT pg_stat_statements_reset()');
      return rows;
    },
    /** Makes a database; the caller drops it. */
    async create(name) {
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
      return urlOf(name);
    },
    async drop(name) {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query('CHECKPOINT');
    },
    async close() {
      await admin.end();
      await postgres.close();
      closed();
      remove();
    },
  };
}

async function askOnce(connectionString, text) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text);
  await client.end();
}

async function makeAccount(connectionString) {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) });
  try {
    const { id: accountId } = await createAccount(prisma, { name: 'Benchmark' });
    await creditAccount(prisma, { accountId, amountMicros: CREDIT_MICROS });
    return (await createAppKey(prisma, { accountId, name: 'Benchmark', scopes: ['rest'] })).key;
  } finally {
    await prisma.$disconnect();
  }
}
