import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyMigrations } from '../../../src/platform/store/migrations/migrate.js';
import { groundOfEachTest } from '../../support/store/migrations-ground.js';
import { waitFor } from '../../support/wait-for.js';

const FIRST = '20260101000000_first';
const SECOND = '20260102000000_second';
/** An advisory lock that the script of a migration waits for. */
const GATE = 4711;

const ground = groundOfEachTest();
const apply = (through = ground.url) => applyMigrations({ url: through, log: ground.log, folder: ground.folder });

/** The process number of the backend that waits for a lock in such a statement. */
async function waiting(statement: string): Promise<number> {
  return await waitFor(`a backend to wait in ${statement}`, async () => {
    const { rows } = await ground.client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [`%${statement}%`],
    );
    return rows[0]?.pid;
  });
}

/** A way to the database that can be cut, which is all that the server sees of a client's `kill -9`. */
async function cuttable(): Promise<{ url: string; cut(): void }> {
  const { hostname, port } = new URL(ground.url);
  const sockets: Socket[] = [];
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined));
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  const through = Object.assign(new URL(ground.url), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  // The folder of a Unix socket would win over the host.
  through.searchParams.delete('host');
  return { url: through.toString(), cut };
}

async function noted(): Promise<unknown[]> {
  const { rows } = await ground.client.query(
    `SELECT migration_name AS name, started_at <= finished_at AS finished, applied_steps_count AS steps
     FROM _prisma_migrations ORDER BY migration_name`,
  );
  return rows;
}

const done = (name: string) => ({ name, finished: true, steps: 1 });

describe('a migration whose process dies', () => {
  it('in the middle of the script leaves nothing, and the next start applies it', async () => {
    ground.addMigration(FIRST, `CREATE TABLE half (); SELECT pg_advisory_xact_lock(${GATE}); CREATE TABLE whole ()`);
    await ground.client.query('SELECT pg_advisory_lock($1)', [GATE]);
    const lost = apply().catch((error: Error) => error);
    await ground.client.query('SELECT pg_terminate_backend($1)', [await waiting('CREATE TABLE half')]);
    expect(await lost).toMatchObject({ message: expect.stringContaining(`The migration ${FIRST} failed`) });
    await ground.client.query('SELECT pg_advisory_unlock($1)', [GATE]);
    const { rows } = await ground.client.query(
      "SELECT to_regclass('half') AS half, to_regclass('_prisma_migrations') AS notes",
    );
    expect(rows).toEqual([{ half: null, notes: null }]);
    expect(await apply()).toEqual([FIRST]);
    expect(await noted()).toEqual([done(FIRST)]);
  });

  it('between the script and its note leaves nothing, and the next start applies it', async () => {
    ground.addMigration(FIRST, 'CREATE TABLE one ()');
    await apply();
    ground.addMigration(SECOND, 'CREATE TABLE two ()');
    const blocker = new pg.Client({ connectionString: ground.url });
    await blocker.connect();
    // Reading the notes goes on, adding one waits.
    await blocker.query('BEGIN; LOCK TABLE _prisma_migrations IN SHARE MODE');
    const lost = apply().catch((error: Error) => error);
    await ground.client.query('SELECT pg_terminate_backend($1)', [await waiting('INSERT INTO _prisma_migrations')]);
    expect(await lost).toBeInstanceOf(Error);
    await blocker.end();
    expect(await noted()).toEqual([done(FIRST)]);
    expect(await apply()).toEqual([SECOND]);
    expect(await noted()).toEqual([done(FIRST), done(SECOND)]);
  });

  it('holds the next start up until PostgreSQL has ended what the process had begun', async () => {
    // Without the limit, which would end it by itself.
    const sql = `CREATE TABLE one (); SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(${GATE})`;
    ground.addMigration(FIRST, sql);
    await ground.client.query('SELECT pg_advisory_lock($1)', [GATE]);
    const way = await cuttable();
    const lost = apply(way.url).catch((error: Error) => error);
    await waiting('CREATE TABLE one');
    way.cut();
    expect(await lost).toBeInstanceOf(Error);
    const next = apply();
    await waitFor('the next start to wait', () =>
      ground.said.some((line) => /^Another process migrates the database \(process \d+ of PostgreSQL/.test(line)),
    );
    await ground.client.query('SELECT pg_advisory_unlock($1)', [GATE]);
    expect(await next).toEqual([FIRST]);
    expect(await noted()).toEqual([done(FIRST)]);
  });
});

describe('applyMigrations', () => {
  it('refuses a database with tables of somebody else', async () => {
    ground.addMigration(FIRST, 'CREATE TABLE one ()');
    await ground.client.query('CREATE TABLE theirs ()');
    await expect(apply()).rejects.toThrow(/not empty, and not Heliograph's: it has a table theirs/);
  });

  it('goes on after a migration that failed, once the reason is gone', async () => {
    ground.addMigration(FIRST, 'CREATE TABLE one (); CREATE TABLE two (kind wanted)');
    await expect(apply()).rejects.toThrow(`The migration ${FIRST} failed: type "wanted" does not exist`);
    await ground.client.query('CREATE DOMAIN wanted AS text');
    expect(await apply()).toEqual([FIRST]);
  });

  it('makes the bookkeeping as the schema engine of Prisma makes it', async () => {
    ground.addMigration(FIRST, 'CREATE TABLE one ()');
    await apply();
    const { rows } = await ground.client.query<{ line: string }>(
      `SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,
         pg_get_expr(adbin, adrelid)) AS line
       FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
       WHERE attrelid = '_prisma_migrations'::regclass AND attnum > 0 ORDER BY attnum`,
    );
    expect(rows.map(({ line }) => line)).toEqual([
      'id character varying(36) not null',
      'checksum character varying(64) not null',
      'finished_at timestamp with time zone',
      'migration_name character varying(255) not null',
      'logs text',
      'rolled_back_at timestamp with time zone',
      'started_at timestamp with time zone not null now()',
      'applied_steps_count integer not null 0',
    ]);
  });
});
