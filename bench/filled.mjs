// npm run bench:filled [-- --rows 1000000 --minutes 1.5 --slice 5 --connections 64 --generator node]
//
// Measures how much slower new messages are delivered if the database contains many old messages. Two processes with all roles,
// each with its own database, take turns under the same load. One database contains `--rows` messages that were delivered in
// the last 30 days, half of them from the sending account. Prints medians over all time slices except the first: accepted and
// delivered messages per second, p99 response time, and processor time per message. Exits with 1 only if a message was refused
// or not delivered.

import { fillMessages } from './lib/load/fill.mjs';
import { checkGenerator } from './lib/load/load.mjs';
import { readOptions } from './lib/options.mjs';
import { median } from './lib/report.mjs';
import { startStore } from './lib/store.mjs';
import { checkNothingLost, closeSide, openSide, takeTurns } from './lib/turns.mjs';

const options = readOptions(
  import.meta.url,
  { rows: '1000000', minutes: '1.5', slice: '5', connections: '64', generator: undefined },
  { rows: '2000', minutes: '0.1', slice: '1' },
);
const rows = Number(options.rows);
const seconds = Number(options.slice);
const connections = Number(options.connections);
const generator = checkGenerator(options.generator);
/** Number of time slices per database, including the first slice, which is only a warm-up. */
const slices = Math.max(2, Math.round((Number(options.minutes) * 60) / seconds / 2));
const GOAL = 0.97;
const OTHER_ACCOUNT = '01920000-0000-7000-8000-000000000002';
const DAY_MS = 24 * 60 * 60 * 1000;

async function fill(client) {
  const { rows: accounts } = await client.query('SELECT id FROM accounts');
  await client.query(
    `INSERT INTO accounts (id, name, currency, rate_card_id) VALUES ($1, 'Another', 'USD', 'standard')`,
    [OTHER_ACCOUNT],
  );
  const now = Date.now();
  await fillMessages(client, {
    name: 'filled',
    rows,
    from: now - 30 * DAY_MS,
    until: now - 60_000,
    accounts: [accounts[0].id, OTHER_ACCOUNT],
    numbers: Math.max(10, rows / 20),
  });
  // The checkpoint writes the new rows to disk before the measurement starts.
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
    `${rows} old messages, ${generator}, ${connections} connections, ${slices} slices of ${seconds} s each, in turns\n`,
  );
  console.log('| database | delivered/s | p99 ms | Node.js µs | PostgreSQL µs |\n|---|---:|---:|---:|---:|');
  for (const side of [empty, filled]) {
    const formatMedian = (figure, digits) => median(side.slices.slice(1).map((slice) => slice[figure])).toFixed(digits);
    console.log(
      `| ${side.name} | ${formatMedian('perSecond', 0)} | ${formatMedian('p99', 1)} | ${formatMedian('node', 0)} | ${formatMedian('postgres', 0)} |`,
    );
  }
  console.log('');
  for (const side of [empty, filled]) checkNothingLost(side);
  const ratios = filled.slices.slice(1).map(({ perSecond }, index) => perSecond / empty.slices[index + 1].perSecond);
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(
    `info:  the filled database delivers ${median(ratios).toFixed(3)} times as much as the empty one, at the median of slice pairs (${range}; the goal is ${GOAL})`,
  );
} finally {
  for (const side of sides) await closeSide(side);
  await store.close();
}
