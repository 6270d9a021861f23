import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction, type MeasuredPool, openPool } from '../../../../src/platform/store/connections/pool.js';
import { openTestStore, type TestStore } from '../../../support/open-test-store.js';

const log = pino({ level: 'silent' });
let store: TestStore;
let pool: MeasuredPool;

beforeAll(async () => {
  store = await openTestStore();
  pool = openPool({ url: store.url, size: 1, log, byKeyOnly: true, isPooled: true });
});
afterAll(async () => {
  await pool.end();
  await store.close();
});

const QUERY = `SELECT current_setting('enable_seqscan') AS seqscan, current_setting('enable_hashjoin') AS hashjoin, $1::int AS n`;
const createQuery = (n: number) => ({ name: 'asked', text: QUERY, values: [n] });
const expectedRows = (n: number) => [{ seqscan: 'off', hashjoin: 'off', n }];

it('a pooled query sets parameters for its statement only, without changing the connection', async () => {
  expect((await pool.query(createQuery(1))).rows).toEqual(expectedRows(1));
  expect((await pool.query(QUERY, [2])).rows).toEqual(expectedRows(2));
  const client = await pool.connect();
  try {
    const result = await new Promise<pg.QueryResult>((resolve, reject) =>
      client.query(QUERY, [3], (error, result) => (error ? reject(error) : resolve(result))),
    );
    expect(result.rows).toEqual(expectedRows(3));
    const unchanged = await client.query({ text: 'SHOW enable_seqscan', rowMode: 'array' });
    expect(unchanged.rows).toEqual([['off']]);
  } finally {
    client.release();
  }
  const { rows } = await runBare(`SELECT current_setting('enable_seqscan') AS seqscan`);
  expect(rows).toEqual([{ seqscan: 'on' }]);
});

it('a pooled transaction sets parameters once, until it ends', async () => {
  const rows = await inTransaction(pool, async (client) => {
    const first = await client.query(createQuery(1));
    const second = await client.query(createQuery(2));
    return [...first.rows, ...second.rows];
  });
  expect(rows).toEqual([...expectedRows(1), ...expectedRows(2)]);
  expect((await runBare('SHOW enable_hashjoin')).rows).toEqual([{ enable_hashjoin: 'on' }]);
});

it('a pooled query is not prepared by name', async () => {
  await pool.query(createQuery(1));
  await pool.query(createQuery(1));
  expect((await runBare('SELECT name FROM pg_prepared_statements')).rows).toEqual([]);
});

it("a pooled connection reports PostgreSQL's errors and remains usable", async () => {
  const client = await pool.connect();
  try {
    await expect(client.query('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(client.query('SELECT 1 FROM missing')).rejects.toMatchObject({ code: '42P01' });
    await client.query('BEGIN');
    await expect(client.query('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await client.query('ROLLBACK');
    expect((await client.query(createQuery(1))).rows).toEqual(expectedRows(1));
  } finally {
    client.release();
  }
});

async function runBare(text: string): Promise<pg.QueryResult> {
  const client = await pool.connect();
  try {
    const { query } = Object.getPrototypeOf(Object.getPrototypeOf(client)) as pg.Client;
    return (await Reflect.apply(query, client, [text])) as pg.QueryResult;
  } finally {
    client.release();
  }
}
