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
import { createPostgresBackend, type SendJob } from '../../../../src/messages/queue/backend.js';
import { packIds } from '../../../../src/messages/queue/packed-ids.js';
import { beginCopying, openBackupConnection } from '../../../../src/platform/backup/snapshot-store.js';
import { LiveListener } from '../../../../src/platform/live/live-listener.js';
import { inTransaction, openPool, openPrisma } from '../../../../src/platform/store/connections/pool.js';
import { isOutcomeUnknown } from '../../../../src/platform/store/failures.js';
import { applyMigrations } from '../../../../src/platform/store/migrations/migrate.js';
import { requireSameDatabase } from '../../../../src/platform/store/servers/pooler.js';
import { openFolder } from '../../../support/open-folder.js';
import { PROJECT_FOLDER } from '../../../support/processes/server-process.js';
import { waitFor } from '../../../support/wait-for.js';

const log = pino({ level: 'silent' });
/** The primary hangs for this long before the standby is promoted, so that it is suspected in time. */
const HANG_MS = 6_000;
/** Two searches that wait for the hung server, and a margin for slow machines. Every pool timeout is longer. */
const MAX_WAIT_MS = 10_000;
const SLEEP = 'SELECT pg_sleep(600)';

interface PendingWork {
  begun?: Promise<unknown>;
  ended: Promise<unknown>;
}

interface Context {
  url: string;
  pool: pg.Pool;
  migrations: string;
  standing: Promise<void>;
}

interface WorkKind {
  what: string;
  of: readonly string[];
  begin(here: Context): PendingWork | Promise<PendingWork>;
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
  { what: 'a statement', of: POOL, begin: ({ pool }) => ({ ended: catchError(pool.query(SLEEP)) }) },
  {
    what: 'a statement in a transaction that holds locks',
    of: POOL,
    begin: ({ pool }) => {
      const begun = createSignal();
      const ended = inTransaction(pool, async (client) => {
        await client.query('SELECT pg_advisory_lock(1)');
        await client.query('INSERT INTO "slow" VALUES (1)');
        begun.pass();
        await client.query(SLEEP);
      });
      return { begun: begun.passed, ended: catchError(ended) };
    },
  },
  {
    what: 'a COMMIT',
    of: POOL,
    begin: async ({ pool, standing }) => {
      const client = await pool.connect();
      await client.query('BEGIN');
      await client.query('SELECT txid_current()');
      const ended = standing.then(() => client.query('COMMIT'));
      return { ended: catchError(ended).finally(() => client.release(true)) };
    },
  },
  {
    what: 'an idle connection',
    of: POOL,
    begin: async ({ url }) => {
      const pool = openPool({ url, size: 1, log });
      const client = await pool.connect();
      client.release();
      // An earlier `error` event is expected.
      const ended = new Promise((end) => client.once('end', end));
      return { ended: ended.then(() => pool.end()) };
    },
  },
  {
    what: 'a statement of Prisma',
    of: POOL,
    begin: ({ pool }) => ({ ended: catchError(openPrisma(pool).$executeRawUnsafe(SLEEP)) }),
  },
  {
    what: 'a statement behind a pooler',
    of: POOL,
    begin: ({ url }) => {
      const pool = openPool({ url, size: 1, log, byKeyOnly: true, isPooled: true });
      return { ended: catchError(pool.query(SLEEP)).finally(() => pool.end()) };
    },
  },
  {
    what: 'a connection that is being opened, with waiting statements',
    of: POOL,
    begin: ({ url, standing }) => {
      const pool = openPool({ url, size: 1, log });
      const ended = standing.then(() => Promise.all([pool.query('SELECT 1'), pool.query('SELECT 1')]));
      return { ended: catchError(ended).finally(() => pool.end()) };
    },
  },
  {
    what: 'a console page that watches for changes',
    of: ['src/platform/live/live-listener.ts'],
    begin: ({ url }) => {
      const listener = new LiveListener({ url, log, timeoutMs: 5_000 });
      const { passed: ended, pass: end } = createSignal();
      return { begun: listener.watch({ accounts: 'all', onStale: () => undefined, onEnd: end }), ended };
    },
  },
  {
    what: 'a worker of the queue, which takes what is added afterwards',
    of: ['src/messages/queue/postgres/store-backend.ts'],
    begin: async ({ url, standing }) => {
      const backend = createPostgresBackend(url, 'kinds', { adding: 1, working: 1 }, log);
      const processed: string[] = [];
      const process = async ({ data }: { data: SendJob }) => void processed.push(data.carrier);
      const queue = backend.openQueue('one');
      const worker = backend.openWorker('one', { concurrency: 1, process });
      for (const each of [queue, worker]) each.on('error', () => undefined);
      const running = worker.run();
      const options = { priority: 1, removeOnComplete: true, removeOnFail: true, attempts: 1 };
      const add = (carrier: string) => queue.add('send', { ids: packIds([randomUUID()]), carrier }, options);
      await add('before');
      await waitFor('the first job', () => processed.includes('before'));
      const processLater = async () => {
        await standing;
        await waitFor('a job to be added', () => add('after'));
        await waitFor('that job', () => processed.includes('after'));
        await Promise.all([worker.close(), running, queue.close()]);
      };
      return { ended: processLater() };
    },
  },
  {
    what: 'the COPY of a backup',
    of: ['src/platform/backup/snapshot-store.ts'],
    begin: async ({ url }) => {
      const client = await openBackupConnection(url);
      await beginCopying(client);
      return { ended: catchError(client.query(copyTo(`COPY (${SLEEP}) TO STDOUT`)).toArray()) };
    },
  },
  {
    what: 'an index that a migration creates, with its progress report',
    of: ['src/platform/store/migrations/migrate.ts', 'src/platform/store/migrations/concurrent-index.ts'],
    begin: ({ url, migrations }) => {
      // The transaction above blocks it.
      writeMigration(migrations, '2_index', 'CREATE INDEX CONCURRENTLY IF NOT EXISTS "slow_id" ON "slow" (id)');
      return { ended: catchError(applyMigrations({ url, log, folder: migrations })) };
    },
  },
  {
    what: 'a check that two URLs lead to the same database',
    of: ['src/platform/store/servers/pooler.ts'],
    begin: ({ url, standing }) => ({
      ended: catchError(standing.then(() => requireSameDatabase({ setting: 'A', url }, { setting: 'B', url }))),
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
  // Otherwise a sleeping backend would not notice that its client is gone.
  await pair.primary.ask(`ALTER SYSTEM SET client_connection_check_interval = '200ms'`);
  await pair.primary.ask('SELECT pg_reload_conf()');
  return pair;
}

it('no query waits for a frozen primary once another server is the primary', async () => {
  const pair = await openPair();
  const { url } = pair;
  const pool = openPool({ url, size: 10, log });
  // Not awaited: it would hang if anything still waits.
  onTestFinished(() => void pool.end());
  const migrations = openFolder('heliograph-migrations-');
  onTestFinished(() => rm(migrations, { recursive: true }));
  writeMigration(migrations, '1_table', 'CREATE TABLE "slow" (id integer)');
  await applyMigrations({ url, log, folder: migrations });
  const { passed: standing, pass: stand } = createSignal();
  const waiting: { what: string; ended: Promise<unknown> }[] = [];
  for (const { what, begin } of KINDS) {
    const { begun, ended } = await begin({ url, pool, migrations, standing });
    await begun;
    waiting.push({ what, ended });
  }
  await waitFor(
    'the index to wait',
    async () => (await pair.primary.ask('SELECT FROM pg_stat_progress_create_index')).length,
  );

  pair.primary.signal('SIGSTOP');
  stand();
  await pause(HANG_MS);
  await pair.promote();
  const stillWaiting = await Promise.all(
    waiting.map(async ({ what, ended }) => {
      const isEnded = ended.then((error) => {
        if (error instanceof Error) expect(isOutcomeUnknown(error), `${what}: ${error}`).toBe(true);
        return [];
      });
      return await Promise.race([isEnded, pause(MAX_WAIT_MS, [what], { ref: false })]);
    }),
  );
  expect(stillWaiting.flat()).toEqual([]);
  expect(await pool.query('SELECT pg_is_in_recovery() AS standby')).toMatchObject({ rows: [{ standby: false }] });

  pair.standby.signal('SIGCONT');
  await waitFor('all connections to leave the former primary', async () => {
    const [{ connected }] = await pair.standby.ask(
      `SELECT count(*)::int AS connected FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    return connected === 0;
  });
});

it('the failover test covers every file that opens connections, except those of the embedded PostgreSQL', async () => {
  const entries = await readdir(join(PROJECT_FOLDER, 'src'), { recursive: true });
  const connectingFiles: string[] = [];
  for (const entry of entries.filter((each) => each.endsWith('.ts') && !each.startsWith('platform/embedded/'))) {
    const source = await readFile(join(PROJECT_FOLDER, 'src', entry), 'utf8');
    if (/^import \{[^}]*\bSteadyClient\b[^}]*\} from/m.test(source)) connectingFiles.push(`src/${entry}`);
  }
  expect([...new Set(KINDS.flatMap(({ of }) => of))].sort()).toEqual(connectingFiles.sort());
});
