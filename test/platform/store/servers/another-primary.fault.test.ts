import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { StandbyPair } from '../../../../chaos/world/replicated/standby.mjs';
import { openPostgresBackend, type SendJob } from '../../../../src/messages/queue/backend.js';
import { packIds } from '../../../../src/messages/queue/packed-ids.js';
import { beginCopyTransaction, openBackupConnection } from '../../../../src/platform/backup/snapshot-store.js';
import { LiveListener } from '../../../../src/platform/live/live-listener.js';
import { inTransaction, openPool, openPrisma } from '../../../../src/platform/store/connections/pool.js';
import { requireSameDatabase } from '../../../../src/platform/store/connections/pooler.js';
import { isOutcomeUnknown } from '../../../../src/platform/store/failures.js';
import { applyMigrations } from '../../../../src/platform/store/migrations/migrate.js';
import { openFolder } from '../../../support/open-folder.js';
import { PROJECT_FOLDER } from '../../../support/processes/server-process.js';
import { waitFor } from '../../../support/wait-for.js';

const log = pino({ level: 'silent' });
/** Milliseconds for which the primary hangs before the promotion, long enough for the primary to be suspected. */
const HANG_MS = 6_000;
/**
 * Milliseconds for two searches that wait for the hung server, with a margin for slow machines. Every timeout of a pool is
 * longer than `MAX_WAIT_MS`.
 */
const MAX_WAIT_MS = 10_000;
const SLEEP = 'SELECT pg_sleep(600)';

interface PendingWork {
  started?: Promise<unknown>;
  finished: Promise<unknown>;
}

interface Context {
  url: string;
  pool: pg.Pool;
  migrations: string;
  frozen: Promise<void>;
}

interface WorkKind {
  description: string;
  files: readonly string[];
  start(context: Context): PendingWork | Promise<PendingWork>;
}

const POOL = ['src/platform/store/connections/pool.ts'];

function createSignal(): { passed: Promise<void>; pass: () => void } {
  let pass = () => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { passed, pass };
}

const catchError = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const KINDS: readonly WorkKind[] = [
  { description: 'a statement', files: POOL, start: ({ pool }) => ({ finished: catchError(pool.query(SLEEP)) }) },
  {
    description: 'a statement in a transaction that holds locks',
    files: POOL,
    start: ({ pool }) => {
      const startSignal = createSignal();
      const work = inTransaction(pool, async (client) => {
        await client.query('SELECT pg_advisory_lock(1)');
        await client.query('INSERT INTO "slow" VALUES (1)');
        startSignal.pass();
        await client.query(SLEEP);
      });
      return { started: startSignal.passed, finished: catchError(work) };
    },
  },
  {
    description: 'a COMMIT',
    files: POOL,
    start: async ({ pool, frozen }) => {
      const client = await pool.connect();
      await client.query('BEGIN');
      await client.query('SELECT txid_current()');
      const commit = frozen.then(() => client.query('COMMIT'));
      return { finished: catchError(commit).finally(() => client.release(true)) };
    },
  },
  {
    description: 'an idle connection',
    files: POOL,
    start: async ({ url }) => {
      const pool = openPool({ url, size: 1, log });
      const client = await pool.connect();
      client.release();
      // The connection may emit an `error` event before its `end` event.
      const connectionEnd = new Promise((end) => client.once('end', end));
      return { finished: connectionEnd.then(() => pool.end()) };
    },
  },
  {
    description: 'a statement of Prisma',
    files: POOL,
    start: ({ pool }) => ({ finished: catchError(openPrisma(pool).$executeRawUnsafe(SLEEP)) }),
  },
  {
    description: 'a statement behind a pooler',
    files: POOL,
    start: ({ url }) => {
      const pool = openPool({ url, size: 1, log, byKeyOnly: true, isPooled: true });
      return { finished: catchError(pool.query(SLEEP)).finally(() => pool.end()) };
    },
  },
  {
    description: 'a connection that is being opened, with waiting statements',
    files: POOL,
    start: ({ url, frozen }) => {
      const pool = openPool({ url, size: 1, log });
      const queries = frozen.then(() => Promise.all([pool.query('SELECT 1'), pool.query('SELECT 1')]));
      return { finished: catchError(queries).finally(() => pool.end()) };
    },
  },
  {
    description: 'a console page that watches for changes',
    files: ['src/platform/live/live-listener.ts'],
    start: ({ url }) => {
      const listener = new LiveListener({ url, log, timeoutMs: 5_000 });
      const { passed: finished, pass: end } = createSignal();
      return { started: listener.watch({ accounts: 'all', onStale: () => undefined, onEnd: end }), finished };
    },
  },
  {
    description: 'a worker of the queue, which takes what is added afterwards',
    files: ['src/messages/queue/postgres/store-backend.ts'],
    start: async ({ url, frozen }) => {
      const backend = openPostgresBackend(url, 'kinds', { adding: 1, working: 1 }, log);
      const processed: string[] = [];
      const process = async ({ data }: { data: SendJob }) => void processed.push(data.carrier);
      const queue = backend.openQueue('one');
      const worker = backend.openWorker('one', { concurrency: 1, process });
      for (const emitter of [queue, worker]) emitter.on('error', () => undefined);
      const workerRun = worker.run();
      const options = { priority: 1, removeOnComplete: true, removeOnFail: true, attempts: 1 };
      const add = (carrier: string) => queue.add('send', { ids: packIds([randomUUID()]), carrier }, options);
      await add('before');
      await waitFor('the first job', () => processed.includes('before'));
      const processLater = async () => {
        await frozen;
        await waitFor('a job to be added', () => add('after'));
        await waitFor('that job', () => processed.includes('after'));
        await Promise.all([worker.close(), workerRun, queue.close()]);
      };
      return { finished: processLater() };
    },
  },
  {
    description: 'the COPY of a backup',
    files: ['src/platform/backup/snapshot-store.ts'],
    start: async ({ url }) => {
      const client = await openBackupConnection(url);
      await beginCopyTransaction(client);
      return { finished: catchError(client.query(copyTo(`COPY (${SLEEP}) TO STDOUT`)).toArray()) };
    },
  },
  {
    description: 'an index that a migration creates, with its progress report',
    files: ['src/platform/store/migrations/migrate.ts', 'src/platform/store/migrations/concurrent-index.ts'],
    start: ({ url, migrations }) => {
      // Another test case keeps a transaction open that blocks the creation of the index.
      writeMigration(migrations, '2_index', 'CREATE INDEX CONCURRENTLY IF NOT EXISTS "slow_id" ON "slow" (id)');
      return { finished: catchError(applyMigrations({ url, log, folder: migrations })) };
    },
  },
  {
    description: 'a check that two URLs lead to the same database',
    files: ['src/platform/store/connections/pooler.ts'],
    start: ({ url, frozen }) => ({
      finished: catchError(frozen.then(() => requireSameDatabase({ setting: 'A', url }, { setting: 'B', url }))),
    }),
  },
];

function writeMigration(folder: string, name: string, sql: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'migration.sql'), sql);
}

async function openPair(): Promise<StandbyPair> {
  const folder = openFolder('heliograph-pair-');
  const pair = new StandbyPair(folder, { isSynchronous: false });
  onTestFinished(async () => {
    await pair.close();
    await rm(folder, { recursive: true });
  });
  await pair.open();
  // Without `client_connection_check_interval`, a sleeping PostgreSQL process would not notice that its client is gone.
  await pair.primary.query(`ALTER SYSTEM SET client_connection_check_interval = '200ms'`);
  await pair.primary.query('SELECT pg_reload_conf()');
  return pair;
}

it('no query waits for a frozen primary once another server is the primary', async () => {
  const pair = await openPair();
  const { url } = pair;
  const pool = openPool({ url, size: 10, log });
  // `pool.end()` is not awaited, because it would hang if a query were still waiting.
  onTestFinished(() => void pool.end());
  const migrations = openFolder('heliograph-migrations-');
  onTestFinished(() => rm(migrations, { recursive: true }));
  writeMigration(migrations, '1_table', 'CREATE TABLE "slow" (id integer)');
  await applyMigrations({ url, log, folder: migrations });
  const { passed: frozen, pass: markFrozen } = createSignal();
  const pendingWork: { description: string; finished: Promise<unknown> }[] = [];
  for (const { description, start } of KINDS) {
    const { started, finished } = await start({ url, pool, migrations, frozen });
    await started;
    pendingWork.push({ description, finished });
  }
  await waitFor(
    'the index to wait',
    async () => (await pair.primary.query('SELECT FROM pg_stat_progress_create_index')).length,
  );

  pair.primary.signal('SIGSTOP');
  markFrozen();
  await pause(HANG_MS);
  await pair.promote();
  const stillWaiting = await Promise.all(
    pendingWork.map(async ({ description, finished }) => {
      const result = finished.then((error) => {
        if (error instanceof Error) expect(isOutcomeUnknown(error), `${description}: ${error}`).toBe(true);
        return [];
      });
      return await Promise.race([result, pause(MAX_WAIT_MS, [description], { ref: false })]);
    }),
  );
  expect(stillWaiting.flat()).toEqual([]);
  expect(await pool.query('SELECT pg_is_in_recovery() AS standby')).toMatchObject({ rows: [{ standby: false }] });

  pair.standby.signal('SIGCONT');
  await waitFor('all connections to leave the former primary', async () => {
    const [{ connected }] = await pair.standby.query(
      `SELECT count(*)::int AS connected FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    return connected === 0;
  });
});

it('the failover test covers every file that opens connections, except those of the embedded PostgreSQL', async () => {
  const entries = await readdir(join(PROJECT_FOLDER, 'src'), { recursive: true });
  const connectingFiles: string[] = [];
  for (const entry of entries.filter((name) => name.endsWith('.ts') && !name.startsWith('platform/embedded/'))) {
    const source = await readFile(join(PROJECT_FOLDER, 'src', entry), 'utf8');
    if (/^import \{[^}]*\bSteadyClient\b[^}]*\} from/m.test(source)) connectingFiles.push(`src/${entry}`);
  }
  expect([...new Set(KINDS.flatMap(({ files }) => files))].sort()).toEqual(connectingFiles.sort());
});
