// npm run bench:partitions [-- --months 10 --rows 300000 --rounds 5 --lookups 200 --seconds 6]
//
// Compares a single messages table with a table partitioned by month. Each store has `--rows` messages for each of `--months`
// months. In alternation between the two stores, the benchmark measures how fast messages are found by ID, listed, searched,
// accepted and delivered. Then retention removes the oldest month, by deleting rows from the single table and by dropping a
// partition of the other table. Finally, the benchmark measures how long it takes to partition the single table.

import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { pino } from 'pino';
import { divideByMonth } from '../dist/messages/partitions/divide-store.js';
import { ensureMonths } from '../dist/messages/partitions/ensure-months-store.js';
import { listMessages } from '../dist/messages/search/list-messages.js';
import { createAccountFilter } from '../dist/messages/search/list-store.js';
import { findMessage } from '../dist/messages/status/find-message.js';
import { sweepMessages } from '../dist/messages/stored-messages/sweep-store.js';
import { PrismaClient } from '../dist/platform/generated/prisma/client.js';
import { openPool } from '../dist/platform/store/connections/pool.js';
import { fillMessages } from './lib/load/fill.mjs';
import { checkGenerator, sendLoad } from './lib/load/load.mjs';
import { readOptions } from './lib/options.mjs';
import { median } from './lib/report.mjs';
import { startServer } from './lib/server.mjs';
import { startStore } from './lib/store.mjs';

const options = readOptions(
  import.meta.url,
  { months: '10', rows: '300000', rounds: '5', lookups: '200', seconds: '6' },
  { months: '2', rows: '2000', rounds: '1', lookups: '5', seconds: '1' },
);
const months = Number(options.months);
const rows = Number(options.rows);
const rounds = Number(options.rounds);
const lookups = Number(options.lookups);
const DAY_MS = 24 * 60 * 60 * 1000;

/** Account that owns half of the messages, and whose data all queries read. */
const ACCOUNT = '01920000-0000-7000-8000-000000000001';
const OTHER_ACCOUNT = '01920000-0000-7000-8000-000000000002';
const NUMBERS = Math.max(10, (months * rows) / 20);
const now = new Date();
const firstMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));

async function prepare(name, url, isDivided) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO accounts (id, name, currency, rate_card_id) SELECT id::uuid, 'Benchmark', 'USD', 'standard'
     FROM unnest($1::text[]) AS id`,
    [[ACCOUNT, OTHER_ACCOUNT]],
  );
  await client.query(
    `INSERT INTO ledger_entries (id, account_id, kind, amount_micros, balance_after_micros, created_at)
     SELECT gen_random_uuid(), $1, 'credit', 1, 1, day FROM generate_series($2::timestamptz, now(), interval '1 hour') AS day`,
    [ACCOUNT, firstMonth],
  );
  if (isDivided) {
    await divideByMonth({ client, now: new Date(firstMonth.getTime() - 3 * DAY_MS), report: () => undefined });
    await ensureMonths(client, now, Number.POSITIVE_INFINITY);
  }
  await fillMessages(client, {
    name,
    rows: months * rows,
    from: firstMonth.getTime(),
    until: now.getTime() - 60_000,
    accounts: [ACCOUNT, OTHER_ACCOUNT],
    numbers: NUMBERS,
  });
  await client.end();
  const pool = openPool({ url, size: 2, log: pino({ level: 'warn' }) });
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  return { name, url, pool, prisma };
}

const randomTime = () => firstMonth.getTime() + Math.random() * (now.getTime() - firstMonth.getTime());
const randomNumber = () => `1415${String(Math.floor(Math.random() * NUMBERS)).padStart(8, '0')}`;

/** Picks random message IDs of the account, from all months. */
async function pickIds({ pool }) {
  const ids = [];
  for (let count = 0; count < lookups; count += 1) {
    const lowest = `${Math.floor(randomTime()).toString(16).padStart(12, '0')}`;
    const { rows: found } = await pool.query(
      'SELECT id FROM messages WHERE id >= $1::uuid AND account_id = $2 ORDER BY id LIMIT 1',
      [`${lowest.slice(0, 8)}-${lowest.slice(8)}-7000-8000-000000000000`, ACCOUNT],
    );
    if (found[0]) ids.push(found[0].id);
  }
  return ids;
}

const listPage = (store, filter) =>
  listMessages(store, { ...createAccountFilter(ACCOUNT), ...filter }, { before: null, limit: 50 });

/** Returns queries by name, to run with the same parameters on both stores. */
function createQueries(ids) {
  const numbers = ids.map(randomNumber);
  const days = ids.map(() => new Date(randomTime()));
  return {
    'a status by id': ids.map((id) => (store) => findMessage(store, ACCOUNT, id)),
    'the newest 50 of the account': ids.map(() => (store) => listPage(store, {})),
    'the 50 before a given time': days.map((day) => (store) => listPage(store, { createdTo: day })),
    'all to a number': numbers.map((recipient) => (store) => listPage(store, { recipient })),
    'all to a number on one day': numbers.map((recipient, index) => (store) => {
      const createdFrom = days[index];
      return listPage(store, { recipient, createdFrom, createdTo: new Date(createdFrom.getTime() + DAY_MS) });
    }),
  };
}

async function measureQueries(store, queries) {
  const times = [];
  for (const query of queries) {
    const start = performance.now();
    await query(store);
    times.push(performance.now() - start);
  }
  return times;
}

async function measureLoad(store, { apiKey, readProcessorSeconds }) {
  const server = await startServer('dist/main.js', {
    DATABASE_URL: store.url,
  });
  try {
    const before = readProcessorSeconds();
    const figures = await sendLoad({
      generator: checkGenerator(undefined),
      url: `${server.baseUrl}/v1.0/sms/send`,
      apiKey,
      connections: 64,
      seconds: Number(options.seconds),
    });
    const start = performance.now();
    for (;;) {
      const { rows: left } = await store.pool.query(
        'SELECT count(*)::int AS n FROM messages WHERE next_look IS NOT NULL',
      );
      if (left[0].n === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const seconds = figures.seconds + (performance.now() - start) / 1000;
    const used = readProcessorSeconds();
    return {
      perSecond: figures.accepted / seconds,
      p99: figures.p99,
      micros: used === null ? Number.NaN : ((used - before) * 1e6) / figures.accepted,
    };
  } finally {
    await server.stop();
  }
}

const readWalPosition = async ({ pool }) =>
  (await pool.query(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS at`)).rows[0].at;

/** Removes the oldest month's messages, and returns how many seconds and megabytes of write-ahead log the removal took. */
async function measureRetention(store) {
  const retentionDays = Math.floor(
    (now.getTime() - Date.UTC(firstMonth.getUTCFullYear(), firstMonth.getUTCMonth() + 1, 1)) / DAY_MS,
  );
  const start = performance.now();
  const before = await readWalPosition(store);
  await sweepMessages({ pool: store.pool, now, step: 5000, retentionDays, isStopped: () => false });
  return { seconds: (performance.now() - start) / 1000, megabytes: ((await readWalPosition(store)) - before) / 1e6 };
}

const store = await startStore();
const openStores = [];
try {
  const urls = { plain: await store.create('bench_plain'), divided: await store.create('bench_months') };
  const [plain, divided] = await Promise.all([
    prepare('bench_plain', urls.plain, false),
    prepare('bench_months', urls.divided, true),
  ]);
  openStores.push(plain, divided);
  const times = new Map();
  const loads = new Map([
    [plain, []],
    [divided, []],
  ]);
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [plain, divided] : [divided, plain];
    const queries = createQueries(await pickIds(plain));
    for (const [name, sameQueries] of Object.entries(queries)) {
      for (const side of order) {
        const key = `${side.name} ${name}`;
        times.set(key, [...(times.get(key) ?? []), ...(await measureQueries(side, sameQueries))]);
      }
    }
    for (const side of order) {
      loads
        .get(side)
        .push(
          await measureLoad(side, { apiKey: store.apiKey, readProcessorSeconds: () => store.readProcessorSeconds() }),
        );
    }
  }
  const formatNumber = (number, digits = 2) => number.toFixed(digits);
  const quantile = (list, share) =>
    [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
  console.log(`\n${months} months of ${rows} messages each, ${rounds} rounds of ${lookups} queries, alternating\n`);
  console.log('| | one table, p50 / p99 ms | by months, p50 / p99 ms |\n|---|---:|---:|');
  for (const name of Object.keys(createQueries([]))) {
    const cells = [plain, divided].map((side) => {
      const list = times.get(`${side.name} ${name}`) ?? [0];
      return `${formatNumber(median(list))} / ${formatNumber(quantile(list, 0.99))}`;
    });
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
  const medianFigure = (side, figure) => median(loads.get(side).map((result) => result[figure]));
  console.log(
    `| accepted and delivered per second | ${formatNumber(medianFigure(plain, 'perSecond'), 0)} | ${formatNumber(medianFigure(divided, 'perSecond'), 0)} |`,
  );
  console.log(
    `| p99 of accepting, ms | ${formatNumber(medianFigure(plain, 'p99'), 0)} | ${formatNumber(medianFigure(divided, 'p99'), 0)} |`,
  );
  console.log(
    `| PostgreSQL's processor time per message, µs | ${formatNumber(medianFigure(plain, 'micros'), 0)} | ${formatNumber(medianFigure(divided, 'micros'), 0)} |`,
  );
  const retentions = [await measureRetention(plain), await measureRetention(divided)];
  console.log(
    `| retention of the oldest month, s | ${retentions.map(({ seconds }) => formatNumber(seconds)).join(' | ')} |`,
  );
  console.log(
    `| write-ahead log of retention, MB | ${retentions.map(({ megabytes }) => formatNumber(megabytes, 1)).join(' | ')} |`,
  );

  const client = new pg.Client({ connectionString: plain.url });
  await client.connect();
  const start = performance.now();
  const lockedMs = await divideByMonth({ client, now, report: (sentence) => console.error(sentence) });
  await client.end();
  console.log(
    `\nThe single table was partitioned in ${formatNumber((performance.now() - start) / 1000, 1)} s and locked for ${formatNumber(lockedMs, 0)} ms.`,
  );
} finally {
  for (const { pool, prisma } of openStores) {
    await prisma.$disconnect();
    await pool.end();
  }
  await store.close();
}
