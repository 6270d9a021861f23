// npm run bench:pinned [-- --minutes 3 --slice 5 --connections 64 --generator node --statements 10]
//
// Measures how much an open transaction and an unused replication slot slow down the server. The transaction's snapshot
// prevents the removal of dead rows, and the replication slot retains the write-ahead log. Two processes with all roles, each
// with its own database, take turns under the same load. In one database, called "pinned", a snapshot is open from the start.
// Reports delivered messages per second and the p99 response time in the last third of the run, when most dead rows have piled
// up. Exits with 1 if a message was not delivered, or if the pinned database has less than half the rate or at least twice the
// p99 of the other database. With --statements, also prints the pinned database's slowest statements in the last third, with
// their times in both databases.
import pg from 'pg';
import { checkGenerator } from './lib/load/load.mjs';
import { readOptions } from './lib/options.mjs';
import { checkSpeed, median } from './lib/report.mjs';
import { startStore } from './lib/store.mjs';
import { checkNothingLost, closeSide, openSide, takeTurns } from './lib/turns.mjs';

const options = readOptions(
  import.meta.url,
  { minutes: '3', slice: '5', connections: '64', generator: undefined, statements: '0' },
  { minutes: '0.1', slice: '2', statements: '1' },
);
const seconds = Number(options.slice);
const connections = Number(options.connections);
const generator = checkGenerator(options.generator);
const slices = Math.max(1, Math.round((Number(options.minutes) * 60) / seconds / 2));
const statementCount = Number(options.statements);
/** Minimum delivery rate of the pinned database, as a fraction of the other database's rate. */
const MIN_RATE_RATIO = 0.5;
const MAX_P99_RATIO = 2;

/** Opens a snapshot and a replication slot, and closes both when the returned function is called. */
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

function printStatements(rows) {
  const toMilliseconds = ({ calls, seconds }) => (seconds * 1000) / calls;
  const pinnedRows = rows.filter(({ database }) => database === 'bench_pinned').sort((a, b) => b.seconds - a.seconds);
  console.log('\n| statement, last third | seconds, pinned | ms per call | ms per call, plain |\n|---|---:|---:|---:|');
  for (const row of pinnedRows.slice(0, statementCount)) {
    const plainRow = rows.find(({ database, query }) => database === 'bench_plain' && query === row.query);
    const name = row.query.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 100);
    const times = [
      row.seconds.toFixed(1),
      toMilliseconds(row).toFixed(2),
      plainRow ? toMilliseconds(plainRow).toFixed(2) : '-',
    ];
    console.log(`| ${[name, ...times].join(' | ')} |`);
  }
}

const store = await startStore({ countStatements: statementCount > 0 });
try {
  const sides = [await openSide(store, 'plain'), await openSide(store, 'pinned')];
  const unpin = await pin(sides[1].url);
  try {
    const load = { generator, connections, seconds };
    const third = Math.max(1, Math.floor(slices / 3));
    await takeTurns(store, sides, slices - third, load);
    if (statementCount > 0) await store.takeStatements();
    await takeTurns(store, sides, third, load);
    console.log(`${generator}, ${connections} connections, ${slices} slices of ${seconds} s each, in turns\n`);
    console.log(
      '| database | delivered/s, first third | last third | p99 ms, last third | dead rows |\n|---|---:|---:|---:|---:|',
    );
    for (const side of sides) {
      side.first = median(side.slices.slice(0, third).map(({ perSecond }) => perSecond));
      side.last = median(side.slices.slice(-third).map(({ perSecond }) => perSecond));
      side.p99 = median(side.slices.slice(-third).map(({ p99 }) => p99));
      const { rows } = await side.client.query(
        'SELECT coalesce(sum(n_dead_tup), 0)::bigint AS dead FROM pg_stat_user_tables',
      );
      const cells = [side.name, side.first.toFixed(0), side.last.toFixed(0), side.p99.toFixed(1), rows[0].dead];
      console.log(`| ${cells.join(' | ')} |`);
      checkNothingLost(side);
    }
    if (statementCount > 0) printStatements(await store.takeStatements());
    const [plain, pinned] = sides;
    const rateRatio = pinned.last / plain.last;
    checkSpeed(
      rateRatio >= MIN_RATE_RATIO,
      `the pinned database delivers ${rateRatio.toFixed(2)} times as much as the plain one (at least ${MIN_RATE_RATIO})`,
    );
    const p99Ratio = pinned.p99 / plain.p99;
    checkSpeed(
      p99Ratio < MAX_P99_RATIO,
      `its p99 of responses is ${p99Ratio.toFixed(2)} times as long (less than ${MAX_P99_RATIO})`,
    );
  } finally {
    await unpin();
    for (const side of sides) await closeSide(side);
  }
} finally {
  await store.close();
}
