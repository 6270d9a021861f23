// npm run bench:pinned [-- --minutes 3 --slice 5 --connections 64 --generator node]
//
// What a transaction costs that nobody ends, and a replication slot that nobody reads: dead rows stay, since an open snapshot
// may still see them, and so does the write-ahead log. Two processes that do everything, each on a database of its own, take
// turns with the load; in one database a snapshot stays open from the start. What is told is the last third of the slices,
// when most has piled up: accepted and delivered per second against the other, and the slowest hundredth of the answers. It
// exits with 1 unless everything is delivered, the rate is at least 0.5 of the other, and p99 less than twice that.
import pg from 'pg';
import { checkGenerator } from './lib/load/load.mjs';
import { readOptions } from './lib/options.mjs';
import { median, speed } from './lib/report.mjs';
import { startStore } from './lib/store.mjs';
import { closeSide, nothingLost, openSide, takeTurns } from './lib/turns.mjs';

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

const store = await startStore();
try {
  const sides = [await openSide(store, 'plain'), await openSide(store, 'pinned')];
  const unpin = await pin(sides[1].url);
  try {
    await takeTurns(store, sides, slices, { generator, connections, seconds });
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
      nothingLost(side);
    }
    const [plain, pinned] = sides;
    const rate = pinned.last / plain.last;
    speed(rate >= LEAST_RATE, `pinned delivers ${rate.toFixed(2)} of the other (at least ${LEAST_RATE})`);
    const slower = pinned.p99 / plain.p99;
    speed(slower < MOST_P99, `its p99 of accepting is ${slower.toFixed(2)} times that (less than ${MOST_P99})`);
  } finally {
    await unpin();
    for (const side of sides) await closeSide(side);
  }
} finally {
  await store.close();
}
