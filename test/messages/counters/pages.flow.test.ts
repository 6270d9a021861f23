import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCountsByAccount } from '../../../src/messages/counters/account-counts-store.js';
import { readCounts } from '../../../src/messages/counters/read-store.js';
import { createTestAccount } from '../../support/accounts.js';
import { suiteStore } from '../../support/for-suite.js';

const HOUR_MS = 3_600_000;
const ACCOUNTS = 20;
const HOURS = 2_000;

describe('query plans for hourly counts', () => {
  const store = suiteStore();
  const to = new Date('2027-03-01T00:00:00Z');
  let accountId: string;
  let tablePages: number;

  beforeAll(async () => {
    for (let count = 0; count < ACCOUNTS; count += 1) accountId = (await createTestAccount(store)).id;
    await store.pool.query(
      `INSERT INTO hourly_counts (account_id, hour, channel_id, kind, carrier, calling_code, event, slot, messages, micros, milliseconds)
       SELECT a.id, $1::timestamptz - n * interval '1 hour', '00000000-0000-0000-0000-000000000000', 'sms', 'simulator', '49', event, 0, 1, 0, 0
       FROM accounts a, generate_series(1, $2) n, unnest('{accepted,sent,delivered}'::counted_event[]) event`,
      [to, HOURS],
    );
    await store.pool.query('ANALYZE hourly_counts');
    const { rows } = await store.pool.query("SELECT pg_relation_size('hourly_counts') / 8192 AS pages");
    tablePages = Number(rows[0].pages);
  });

  function watchPlans() {
    let pages = 0;
    const query = async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } = await store.pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
      const { Plan: root } = rows[0]['QUERY PLAN'][0];
      pages += root['Shared Hit Blocks'] + root['Shared Read Blocks'];
      return store.pool.query(text, values);
    };
    return { pool: { query } as unknown as pg.Pool, pages: () => pages };
  }
  const buildRange = (hours: number) => ({ from: new Date(to.getTime() - hours * HOUR_MS), to });

  it("counts of one account are read without reading other accounts' hours", async () => {
    const { pool, pages } = watchPlans();
    const countQuery = { ...buildRange(24), accountId, currency: 'USD', step: 'hour', zone: 'UTC' } as const;
    const { byTime } = await readCounts(pool, countQuery);
    expect(byTime).toHaveLength(24 * 3);
    expect(tablePages).toBeGreaterThan(1_000);
    expect(pages()).toBeLessThan(150);
  });

  it('counts of every account are read without reading other hours', async () => {
    const { pool, pages } = watchPlans();
    const counts = await readCountsByAccount(pool, buildRange(24));
    expect(counts).toHaveLength(ACCOUNTS * 3);
    expect(counts.every(({ messages }) => messages === 24)).toBe(true);
    expect(pages()).toBeLessThan(tablePages / 2);
  });
});
