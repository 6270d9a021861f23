import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { JobTableRebuilder } from '../../../src/messages/queue/postgres/job-table.js';
import { countDeadRows, MAX_DEAD_ROWS, rebuildJobTable } from '../../../src/messages/queue/postgres/job-table-store.js';
import { createTestAccount } from '../../support/accounts.js';
import { closersForEachTest, openForEachTest } from '../../support/for-suite.js';
import { accept, sendRequest, waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const COPIES = `INSERT INTO bullmq.job SELECT copy.* FROM bullmq.job j CROSS JOIN generate_series(1, $1::int) AS n
  CROSS JOIN LATERAL jsonb_populate_record(j, jsonb_build_object('id', 'copy-' || n, 'seq', 1000 + n)) AS copy`;

describe('rebuilding the job table without workers', () => {
  const test = openForEachTest(() => testApp({ role: 'api' }));
  // These connections are registered after the server, so that they are closed before it.
  const closers = closersForEachTest();

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: test.databaseUrl });
    await client.connect();
    closers.push(() => client.end());
    return client;
  }

  async function addJob(): Promise<pg.Client> {
    const account = await createTestAccount(test.deps);
    await accept(test.deps, account);
    const client = await connect();
    await waitFor('the job', async () => (await listJobs(client)).length === 1);
    return client;
  }

  async function countPages(client: pg.Client): Promise<number> {
    return (await client.query(`SELECT pg_relation_size('bullmq.job')::int / 8192 AS pages`)).rows[0].pages;
  }

  async function listJobs(client: pg.Client): Promise<unknown[]> {
    return (await client.query('SELECT * FROM bullmq.job ORDER BY seq')).rows;
  }

  it('rebuilding the job table keeps all jobs', async () => {
    const client = await addJob();
    await client.query(COPIES, [40]);
    await client.query(
      `UPDATE bullmq.job SET state = 'active', lock_token = 'mine', locked_until_ms = 7 WHERE id = 'copy-1'`,
    );
    const jobsBefore = await listJobs(client);
    const readFileNode = async () =>
      (await client.query(`SELECT pg_relation_filenode('bullmq.job') AS file`)).rows[0].file;
    const fileBefore = await readFileNode();
    expect(await rebuildJobTable(test.deps.pool)).toBe(true);
    expect(await listJobs(client)).toEqual(jobsBefore);
    expect((await client.query('SELECT FROM bullmq.event')).rowCount).toBe(0);
    expect(await readFileNode()).not.toBe(fileBefore);
  });

  it('rebuilding is skipped while somebody reads the job table, and if it holds a backlog', async () => {
    const client = await addJob();
    await client.query('BEGIN');
    const jobsBefore = await listJobs(client);
    expect(await rebuildJobTable(test.deps.pool)).toBe(false);
    await client.query('COMMIT');
    expect(await listJobs(client)).toEqual(jobsBefore);
    await client.query(COPIES, [5_000]);
    expect(await rebuildJobTable(test.deps.pool)).toBe(false);
    expect(await listJobs(client)).toHaveLength(5_001);
  });

  it('the job table is rebuilt once dead rows accumulate that a snapshot keeps', async () => {
    const client = await addJob();
    const reader = await connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT FROM accounts LIMIT 1');
    await client.query(COPIES, [MAX_DEAD_ROWS + 1]);
    await client.query(`DELETE FROM bullmq.job WHERE id LIKE 'copy-%'`);
    await client.query('VACUUM bullmq.job');
    expect(await countDeadRows(test.deps.pool)).toBeGreaterThan(MAX_DEAD_ROWS);
    expect(await countPages(client)).toBeGreaterThan(100);
    const table = new JobTableRebuilder({ pool: test.deps.pool, log: pino({ level: 'silent' }) });
    closers.push(() => table.stop());
    table.start();
    const [metric] = table.metrics();
    await waitFor('the table to be rebuilt', async () => {
      const [renewals] = [...((await metric?.read()) ?? [])];
      return renewals !== undefined && 'value' in renewals && renewals.value === 1;
    });
    expect(await countPages(client)).toBeLessThan(10);
    expect(await listJobs(client)).toHaveLength(1);
  });
});

describe('rebuilding the job table while messages are sent', () => {
  const test = suiteApp();

  it('rebuilding the job table loses no message and sends none twice', async () => {
    const account = await createTestAccount(test.deps);
    let sends = 400;
    const sendJobs = async () => {
      while (sends-- > 0) await test.deps.acceptor.accept(sendRequest(account));
    };
    const sending = Promise.all(Array.from({ length: 20 }, sendJobs));
    let isDone = false;
    let rebuilds = 0;
    const renewLeases = async () => {
      while (!isDone) if (await rebuildJobTable(test.deps.pool)) rebuilds++;
    };
    const renewed = renewLeases();
    await sending;
    const delivery = await waitForAllMessages(test.deps, account.id, 'delivered');
    isDone = true;
    await renewed;
    expect(delivery).toBe(400);
    expect(rebuilds).toBeGreaterThan(0);
    const { rows } = await test.deps.pool.query(
      'SELECT max(attempts)::int AS attempts FROM messages WHERE account_id = $1',
      [account.id],
    );
    expect(rows).toEqual([{ attempts: 1 }]);
  });
});
