import type { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { readBreakdown } from '../../../src/features/usage/usage-store.js';
import { LONG_TIMEOUT_MS, openPool } from '../../../src/platform/store/connections/pool.js';
import { createTestChannel } from '../../support/channels.js';
import { ManualClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';

const clock = new ManualClock('2027-01-15T12:00:30.500Z');
const heliograph = suiteApp({ clock });

it('a million recorded requests do not slow GET /api/v1/account/usage', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const getUsage = async () => {
    const response = await heliograph.app.inject({ url: '/api/v1/account/usage', headers: channel.headers });
    expect(response.statusCode).toBe(200);
    return response.json().data;
  };
  // This pool has a long timeout, because filling the tables takes longer than a request's timeout.
  const pool = openPool({
    url: heliograph.databaseUrl,
    size: 1,
    log: heliograph.deps.log,
    patienceMs: LONG_TIMEOUT_MS,
  });
  onTestFinished(() => pool.end());
  const now = clock.now().toISOString();
  // The inserted requests are spread evenly over eight days, and are counted as the server would count them.
  for (let from = 0; from < 1_000_000; from += 200_000) {
    await pool.query(
      `INSERT INTO api_requests (id, channel_id, endpoint, method, status_code, response_time, created_at)
       SELECT gen_random_uuid(), $1, '/api/v1/contacts', 'GET', 200, 1.5, $2::timestamptz - n * interval '691.2 ms'
       FROM generate_series($3::int, $3::int + 199999) AS n`,
      [channel.channelId, now, from],
    );
  }
  await pool.query(
    `INSERT INTO usage_minutes (channel_id, minute, requests)
     SELECT channel_id, date_trunc('minute', created_at, 'UTC'), count(*) FROM api_requests WHERE channel_id = $1
     GROUP BY 1, 2 ORDER BY 2`,
    [channel.channelId],
  );
  await pool.query(
    `INSERT INTO usage_totals (channel_id, total, month, month_requests, last_used_at)
     VALUES ($1, 1000000, date_trunc('month', $2::timestamptz)::date, 1000000, $2)`,
    [channel.channelId, now],
  );
  const expected = await pool.query(
    `SELECT count(*)::int AS week, count(*) FILTER (WHERE created_at > $2::timestamptz - interval '24 hours')::int AS day
     FROM api_requests WHERE channel_id = $1 AND created_at > $2::timestamptz - interval '7 days'`,
    [channel.channelId, now],
  );
  // Until the planner knows the channel's size, PostgreSQL sorts all rows, but even this plan must read few pages.
  await pool.query('SET enable_indexscan = off; SET enable_seqscan = off');
  const explainingPool = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const plan = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
      const { Plan: root } = plan.rows[0]['QUERY PLAN'][0];
      pages.push(root['Shared Hit Blocks'] + root['Shared Read Blocks']);
      return pool.query(text, values);
    },
  } as unknown as Pool;
  const pages: number[] = [];
  const breakdown = await readBreakdown({ pool: explainingPool }, channel.channelId, clock.now());
  expect(breakdown.last7Days).toBe(expected.rows[0].week);
  expect(pages.length).toBeGreaterThanOrEqual(2);
  for (const pageCount of pages) expect(pageCount).toBeLessThan(1000);

  const firstUsage = await getUsage();
  expect(firstUsage).toMatchObject({ last7Days: expected.rows[0].week, last24Hours: expected.rows[0].day, total: 1e6 });
  expect(firstUsage.recentRequests).toHaveLength(20);

  const durations: number[] = [];
  for (let count = 0; count < 200; count++) {
    const start = performance.now();
    await getUsage();
    durations.push(performance.now() - start);
  }
  durations.sort((a, b) => a - b);
  expect(durations[Math.floor(durations.length * 0.9)]).toBeLessThan(100);
});
