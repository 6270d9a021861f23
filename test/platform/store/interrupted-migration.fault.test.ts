import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyMigrations } from '../../../src/platform/store/migrations/migrate.js';
import { migrationDatabaseForEachTest } from '../../support/store/migration-database.js';
import { waitFor } from '../../support/wait-for.js';

const FIRST = '20260101000000_first';
const SECOND = '20260102000000_second';
const GATE = 4711;

const database = migrationDatabaseForEachTest();
const apply = (url = database.url) => applyMigrations({ url, log: database.log, folder: database.folder });

async function waitForBlocked(statement: string): Promise<number> {
  return await waitFor(`a backend to wait in ${statement}`, async () => {
    const { rows } = await database.client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [`%${statement}%`],
    );
    return rows[0]?.pid;
  });
}

/** Cutting the connection has the same effect on the server as killing the client with SIGKILL. */
async function openProxy(): Promise<{ url: string; cut(): void }> {
  const { hostname, port } = new URL(database.url);
  const sockets: Socket[] = [];
  const proxy = createServer((clientSocket) => {
    const serverSocket = connect(Number(port), hostname);
    for (const socket of [clientSocket, serverSocket]) sockets.push(socket.on('error', () => undefined));
    clientSocket.pipe(serverSocket).pipe(clientSocket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  const proxyUrl = Object.assign(new URL(database.url), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  // A `host` parameter with the folder of a Unix socket would take precedence over the proxy's address.
  proxyUrl.searchParams.delete('host');
  return { url: proxyUrl.toString(), cut };
}

async function listRecords(): Promise<unknown[]> {
  const { rows } = await database.client.query(
    `SELECT migration_name AS name, started_at <= finished_at AS finished, applied_steps_count AS steps
     FROM _prisma_migrations ORDER BY migration_name`,
  );
  return rows;
}

const appliedRecord = (name: string) => ({ name, finished: true, steps: 1 });

describe('a migration whose process dies', () => {
  it('during the script leaves nothing, and the next start applies it', async () => {
    database.addMigration(FIRST, `CREATE TABLE half (); SELECT pg_advisory_xact_lock(${GATE}); CREATE TABLE whole ()`);
    await database.client.query('SELECT pg_advisory_lock($1)', [GATE]);
    const failedStart = apply().catch((error: Error) => error);
    await database.client.query('SELECT pg_terminate_backend($1)', [await waitForBlocked('CREATE TABLE half')]);
    expect(await failedStart).toMatchObject({ message: expect.stringContaining(`The migration ${FIRST} failed`) });
    await database.client.query('SELECT pg_advisory_unlock($1)', [GATE]);
    const { rows } = await database.client.query(
      "SELECT to_regclass('half') AS half, to_regclass('_prisma_migrations') AS records",
    );
    expect(rows).toEqual([{ half: null, records: null }]);
    expect(await apply()).toEqual([FIRST]);
    expect(await listRecords()).toEqual([appliedRecord(FIRST)]);
  });

  it('before it is recorded leaves nothing, and the next start applies it', async () => {
    database.addMigration(FIRST, 'CREATE TABLE one ()');
    await apply();
    database.addMigration(SECOND, 'CREATE TABLE two ()');
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    // SHARE MODE allows reading the migration records but blocks adding one.
    await blocker.query('BEGIN; LOCK TABLE _prisma_migrations IN SHARE MODE');
    const failedStart = apply().catch((error: Error) => error);
    await database.client.query('SELECT pg_terminate_backend($1)', [
      await waitForBlocked('INSERT INTO _prisma_migrations'),
    ]);
    expect(await failedStart).toBeInstanceOf(Error);
    await blocker.end();
    expect(await listRecords()).toEqual([appliedRecord(FIRST)]);
    expect(await apply()).toEqual([SECOND]);
    expect(await listRecords()).toEqual([appliedRecord(FIRST), appliedRecord(SECOND)]);
  });

  it('makes the next start wait until PostgreSQL has ended its statement', async () => {
    // Without `lock_timeout = 0`, the timeout would cancel the statement.
    const sql = `CREATE TABLE one (); SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(${GATE})`;
    database.addMigration(FIRST, sql);
    await database.client.query('SELECT pg_advisory_lock($1)', [GATE]);
    const proxy = await openProxy();
    const failedStart = apply(proxy.url).catch((error: Error) => error);
    await waitForBlocked('CREATE TABLE one');
    proxy.cut();
    expect(await failedStart).toBeInstanceOf(Error);
    const nextStart = apply();
    await waitFor('the next start to wait', () =>
      database.loggedTexts.some((line) =>
        /^Another process is migrating the database \(PostgreSQL process \d+/.test(line),
      ),
    );
    await database.client.query('SELECT pg_advisory_unlock($1)', [GATE]);
    expect(await nextStart).toEqual([FIRST]);
    expect(await listRecords()).toEqual([appliedRecord(FIRST)]);
  });
});

describe('applyMigrations', () => {
  it('refuses a database with tables of another program', async () => {
    database.addMigration(FIRST, 'CREATE TABLE one ()');
    await database.client.query('CREATE TABLE theirs ()');
    await expect(apply()).rejects.toThrow(/belongs to another program: it has a table theirs/);
  });

  it('applies a failed migration again once its cause is fixed', async () => {
    database.addMigration(FIRST, 'CREATE TABLE one (); CREATE TABLE two (kind wanted)');
    await expect(apply()).rejects.toThrow(`The migration ${FIRST} failed: type "wanted" does not exist`);
    await database.client.query('CREATE DOMAIN wanted AS text');
    expect(await apply()).toEqual([FIRST]);
  });

  it("creates the same table of migrations as Prisma's schema engine", async () => {
    database.addMigration(FIRST, 'CREATE TABLE one ()');
    await apply();
    const { rows } = await database.client.query<{ line: string }>(
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
