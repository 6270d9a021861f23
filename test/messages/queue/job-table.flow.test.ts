import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { JobTable } from '../../../src/messages/queue/in-store/job-table.js';
import { countDeadJobs, MOST_DEAD, makeJobTableAnew } from '../../../src/messages/queue/in-store/job-table-store.js';
import { createTestAccount } from '../../support/accounts.js';
import { closersOfEachTest, openedForEachTest } from '../../support/for-suite.js';
import { accept, allReach, sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

/** A copy of a job, under another name. */
const COPIES = `INSERT INTO bullmq.job SELECT copy.* FROM bullmq.job j CROSS JOIN generate_series(1, $1::int) AS n
  CROSS JOIN LATERAL jsonb_populate_record(j, jsonb_build_object('id', 'copy-' || n, 'seq', 1000 + n)) AS copy`;

describe('a table of jobs that nobody takes', () => {
  // Nobody works here, so what is added stays.
  const test = openedForEachTest(() => testApp({ role: 'api' }));
  // After what it is connected to, and so closed before it.
  const closers = closersOfEachTest();

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
    await waitFor('the job', async () => (await jobs(client)).length === 1);
    return client;
  }

  async function pages(client: pg.Client): Promise<number> {
    return (await client.query(`SELECT pg_relation_size('bullmq.job')::int / 8192 AS pages`)).rows[0].pages;
  }

  async function jobs(client: pg.Client): Promise<unknown[]> {
    return (await client.query('SELECT * FROM bullmq.job ORDER BY seq')).rows;
  }

  it('is made anew with all that is in it', async () => {
    const client = await addJob();
    await client.query(COPIES, [40]);
    await client.query(
      `UPDATE bullmq.job SET state = 'active', lock_token = 'mine', locked_until_ms = 7 WHERE id = 'copy-1'`,
    );
    const before = await jobs(client);
    const file = async () => (await client.query(`SELECT pg_relation_filenode('bullmq.job') AS file`)).rows[0].file;
    const fileBefore = await file();
    expect(await makeJobTableAnew(test.deps.pool)).toBe(true);
    expect(await jobs(client)).toEqual(before);
    expect((await client.query('SELECT FROM bullmq.event')).rowCount).toBe(0);
    expect(await file()).not.toBe(fileBefore);
  });

  it('is let be while somebody reads it, and where it holds a backlog', async () => {
    const client = await addJob();
    await client.query('BEGIN');
    const before = await jobs(client);
    expect(await makeJobTableAnew(test.deps.pool)).toBe(false);
    await client.query('COMMIT');
    expect(await jobs(client)).toEqual(before);
    await client.query(COPIES, [5_000]);
    expect(await makeJobTableAnew(test.deps.pool)).toBe(false);
    expect(await jobs(client)).toHaveLength(5_001);
  });

  it('is made anew once dead rows pile up in it that a snapshot keeps', async () => {
    const client = await addJob();
    const reader = await connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT FROM accounts LIMIT 1');
    await client.query(COPIES, [MOST_DEAD + 1]);
    await client.query(`DELETE FROM bullmq.job WHERE id LIKE 'copy-%'`);
    await client.query('VACUUM bullmq.job');
    expect(await countDeadJobs(test.deps.pool)).toBeGreaterThan(MOST_DEAD);
    expect(await pages(client)).toBeGreaterThan(100);
    const table = new JobTable({ pool: test.deps.pool, log: pino({ level: 'silent' }) });
    closers.push(() => table.stop());
    table.start();
    const [metric] = table.metrics();
    await waitFor('it to be made anew', async () => {
      const [renewals] = [...((await metric?.read()) ?? [])];
      return renewals !== undefined && 'value' in renewals && renewals.value === 1;
    });
    expect(await pages(client)).toBeLessThan(10);
    expect(await jobs(client)).toHaveLength(1);
  });
});

describe('while messages are sent', () => {
  const test = suiteApp();

  it('loses none and sends none twice, however often its table is made anew', async () => {
    const account = await createTestAccount(test.deps);
    let sends = 400;
    const sender = async () => {
      while (sends-- > 0) await test.deps.acceptor.accept(sendRequest(account));
    };
    const sending = Promise.all(Array.from({ length: 20 }, sender));
    let isDone = false;
    let anew = 0;
    const renewing = async () => {
      while (!isDone) if (await makeJobTableAnew(test.deps.pool)) anew++;
    };
    const renewed = renewing();
    await sending;
    const delivered = await allReach(test.deps, account.id, 'delivered');
    isDone = true;
    await renewed;
    expect(delivered).toBe(400);
    expect(anew).toBeGreaterThan(0);
    const { rows } = await test.deps.pool.query(
      'SELECT max(attempts)::int AS attempts FROM messages WHERE account_id = $1',
      [account.id],
    );
    expect(rows).toEqual([{ attempts: 1 }]);
  });
});
