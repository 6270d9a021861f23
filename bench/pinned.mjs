// npm run bench:pinned [-- --minutes 3 --slice 5 --connections 64 --generator node]
//
// What a transaction costs that nobody ends, and a replication slot that nobody reads: dead rows stay, since an open snapshot
// may still see them, and so does the write-ahead log. Two processes that do everything, each on a database of its own, take
// turns with the load; in one database a snapshot stays open from the start. What is told is the last third of the slices,
// when most has piled up: accepted and delivered per second against the other, and the slowest hundredth of the answers. It
// exits with 1 unless everything is delivered, the rate is at least 0.5 of the other, and p99 less than twice that.
import pg from 'pg';
import { checkGenerator, sendLoad } from './lib/load.mjs';
import { readOptions } from './lib/options.mjs';
import { median, speed, verdict } from './lib/report.mjs';
import { startServer } from './lib/server.mjs';
import { startStore } from './lib/store.mjs';

const options = readOptions(
  import.meta.url,
  { minutes: '3', slice: '5', connections: '64', generator: undefined },
  { minutes: '0.1', slice: '2' },
);
const seconds = Number(options.slice);
const connections = Number(options.connections);
const generator = checkGenerator(options.generator);
/** Slices of each of the two. */
const slices = Math.max(1, Math.round((Number(options.minutes) * 60) / seconds / 2));
const LEAST_RATE = 0.5;
const MOST_P99 = 2;
const DRAIN_MS = 60_000;
const OPEN = 'SELECT count(*)::int AS open FROM messages WHERE next_look IS NOT NULL';

async function openSide(store, name) {
  const url = await store.create(`bench_${name}`);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const server = await startServer('dist/main.js', {
    DATABASE_URL: url,
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
    SEED_DEMO: 'false',
  });
  return { name, url, client, server, slices: [] };
}

/** Keeps a snapshot of a database, and all of the write-ahead log from now on. */
async function pin(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SELECT pg_create_physical_replication_slot('bench_pinned', true)`);
  await client.query('SET idle_in_transaction_session_timeout = 0');
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT count(*) FROM messages');
  return async () => {
    await client.query('ROLLBACK');
    await client.query(`SELECT pg_drop_replication_slot('bench_pinned')`);
    await client.end();
  };
}

/** Accepts for a slice, and waits until the last of it is delivered. */
async function take(store, side) {
  const url = `${side.server.baseUrl}/v1.0/sms/send`;
  const began = performance.now();
  const { accepted, p99, refused } = await sendLoad({ generator, url, apiKey: store.apiKey, connections, seconds });
  const deadline = performance.now() + DRAIN_MS;
  const open = async () => (await side.client.query(OPEN)).rows[0].open;
  let left = await open();
  while (left > 0 && performance.now() < deadline) left = await open();
  side.slices.push({ perSecond: accepted / ((performance.now() - began) / 1000), p99, refused, left });
}

const store = await startStore();
try {
  const sides = [await openSide(store, 'plain'), await openSide(store, 'pinned')];
  const unpin = await pin(sides[1].url);
  try {
    for (let slice = 0; slice < slices; slice += 1) {
      for (const side of slice % 2 === 0 ? sides : [...sides].reverse()) await take(store, side);
    }
    console.log(`${generator}, ${connections} connections, ${slices} slices of ${seconds} s each, in turns\n`);
    console.log(
      '| database | delivered/s, first third | last third | p99 ms, last third | dead rows |\n|---|---:|---:|---:|---:|',
    );
    const third = Math.max(1, Math.floor(slices / 3));
    for (const side of sides) {
      side.first = median(side.slices.slice(0, third).map(({ perSecond }) => perSecond));
      side.last = median(side.slices.slice(-third).map(({ perSecond }) => perSecond));
      side.p99 = median(side.slices.slice(-third).map(({ p99 }) => p99));
      const { rows } = await side.client.query(
        'SELECT coalesce(sum(n_dead_tup), 0)::bigint AS dead FROM pg_stat_user_tables',
      );
      const cells = [side.name, side.first.toFixed(0), side.last.toFixed(0), side.p99.toFixed(1), rows[0].dead];
      console.log(`| ${cells.join(' | ')} |`);
      verdict(
        side.slices.every(({ left, refused }) => left === 0 && refused === 0),
        `${side.name}: all was accepted, and delivered after each slice`,
      );
    }
    const [plain, pinned] = sides;
    const rate = pinned.last / plain.last;
    speed(rate >= LEAST_RATE, `pinned delivers ${rate.toFixed(2)} of the other (at least ${LEAST_RATE})`);
    const slower = pinned.p99 / plain.p99;
    speed(slower < MOST_P99, `its p99 of accepting is ${slower.toFixed(2)} times that (less than ${MOST_P99})`);
  } finally {
    await unpin();
    for (const { server, client } of sides) {
      await client.end();
      await server.stop();
    }
  }
} finally {
  await store.close();
}
