// npm run bench:filled [-- --rows 1000000 --minutes 1.5 --slice 5 --connections 64 --generator node]
//
// What messages of before cost those of now. Two processes that do everything, each on a database of its own, take turns with
// the load; one database was filled with so many delivered messages of 30 days, half of them of the account that sends. What
// is told is the median of all slices but the first of each: accepted and delivered per second, the slowest hundredth of the
// answers, and the processor time of a message. It exits with 1 unless everything is delivered; how fast is only told.

import { fillMessages } from './lib/load/fill.mjs';
import { checkGenerator } from './lib/load/load.mjs';
import { readOptions } from './lib/options.mjs';
import { median } from './lib/report.mjs';
import { startStore } from './lib/store.mjs';
import { closeSide, nothingLost, openSide, takeTurns } from './lib/turns.mjs';

const options = readOptions(
  import.meta.url,
  { rows: '1000000', minutes: '1.5', slice: '5', connections: '64', generator: undefined },
  { rows: '2000', minutes: '0.1', slice: '1' },
);
const rows = Number(options.rows);
const seconds = Number(options.slice);
const connections = Number(options.connections);
const generator = checkGenerator(options.generator);
/** Slices of each of the two; the first only warms up. */
const slices = Math.max(2, Math.round((Number(options.minutes) * 60) / seconds / 2));
const GOAL = 0.97;
const OTHER = '01920000-0000-7000-8000-000000000002';
const DAY_MS = 24 * 60 * 60 * 1000;

async function fill(client) {
  const { rows: accounts } = await client.query('SELECT id FROM accounts');
  await client.query(
    `INSERT INTO accounts (id, name, currency, rate_card_id) VALUES ($1, 'Another', 'USD', 'standard')`,
    [OTHER],
  );
  const now = Date.now();
  await fillMessages(client, {
    name: 'filled',
    rows,
    from: now - 30 * DAY_MS,
    until: now - 60_000,
    accounts: [accounts[0].id, OTHER],
    numbers: Math.max(10, rows / 20),
  });
  // What the filling left to be written is none of the load's.
  await client.query('CHECKPOINT');
}

const store = await startStore();
const sides = [];
try {
  const filled = await openSide(store, 'filled', fill);
  sides.push(filled);
  const empty = await openSide(store, 'empty');
  sides.push(empty);
  await takeTurns(store, sides, slices, { generator, connections, seconds });
  console.log(
    `${rows} messages before, ${generator}, ${connections} connections, ${slices} slices of ${seconds} s each, in turns\n`,
  );
  console.log('| database | delivered/s | p99 ms | Node.js µs | PostgreSQL µs |\n|---|---:|---:|---:|---:|');
  for (const side of [empty, filled]) {
    const of = (what, digits) => median(side.slices.slice(1).map((slice) => slice[what])).toFixed(digits);
    console.log(`| ${side.name} | ${of('perSecond', 0)} | ${of('p99', 1)} | ${of('node', 0)} | ${of('postgres', 0)} |`);
  }
  console.log('');
  for (const side of [empty, filled]) nothingLost(side);
  const ratios = filled.slices.slice(1).map(({ perSecond }, index) => perSecond / empty.slices[index + 1].perSecond);
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(
    `told:  filled delivers ${median(ratios).toFixed(3)} of the other, the median of the pairs of slices (${range}; the goal is ${GOAL})`,
  );
} finally {
  for (const side of sides) await closeSide(side);
  await store.close();
}
