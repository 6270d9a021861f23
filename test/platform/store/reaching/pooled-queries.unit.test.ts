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

const ASKED = `SELECT current_setting('enable_seqscan') AS seqscan, current_setting('enable_hashjoin') AS hashjoin, $1::int AS n`;
const asked = (n: number) => ({ name: 'asked', text: ASKED, values: [n] });
const answer = (n: number) => [{ seqscan: 'off', hashjoin: 'off', n }];

it('sets parameters for each statement alone, by which nothing of the connection changes', async () => {
  expect((await pool.query(asked(1))).rows).toEqual(answer(1));
  expect((await pool.query(ASKED, [2])).rows).toEqual(answer(2));
  const client = await pool.connect();
  try {
    const told = await new Promise<pg.QueryResult>((resolve, reject) =>
      client.query(ASKED, [3], (error, result) => (error ? reject(error) : resolve(result))),
    );
    expect(told.rows).toEqual(answer(3));
    // What has a `submit` of its own is asked as it is.
    const plain = await client.query({ text: 'SHOW enable_seqscan', rowMode: 'array' });
    expect(plain.rows).toEqual([['off']]);
  } finally {
    client.release();
  }
  const { rows } = await bare(`SELECT current_setting('enable_seqscan') AS seqscan`);
  expect(rows).toEqual([{ seqscan: 'on' }]);
});

it('sets them once for a transaction, until it ends', async () => {
  const seen = await inTransaction(pool, async (client) => {
    const first = await client.query(asked(1));
    const second = await client.query(asked(2));
    return [...first.rows, ...second.rows];
  });
  expect(seen).toEqual([...answer(1), ...answer(2)]);
  expect((await bare('SHOW enable_hashjoin')).rows).toEqual([{ enable_hashjoin: 'on' }]);
});

it('prepares nothing under a name', async () => {
  await pool.query(asked(1));
  await pool.query(asked(1));
  expect((await bare('SELECT name FROM pg_prepared_statements')).rows).toEqual([]);
});

it('tells what PostgreSQL refuses, and goes on with the same connection', async () => {
  const client = await pool.connect();
  try {
    await expect(client.query('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(client.query('SELECT nothing')).rejects.toMatchObject({ code: '42703' });
    await client.query('BEGIN');
    await expect(client.query('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await client.query('ROLLBACK');
    expect((await client.query(asked(1))).rows).toEqual(answer(1));
  } finally {
    client.release();
  }
});

/** Asks on the connection of the pool, past what it sets. */
async function bare(text: string): Promise<pg.QueryResult> {
  const client = await pool.connect();
  try {
    const { query } = Object.getPrototypeOf(Object.getPrototypeOf(client)) as pg.Client;
    return (await Reflect.apply(query, client, [text])) as pg.QueryResult;
  } finally {
    client.release();
  }
}
