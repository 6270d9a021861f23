// npm run bench:kannel [-- --rounds 2 --seconds 6 --connections 64,256 --generator node|wrk --window 50
//   --servers smpp,kannel,simulator]
//
// Compares Heliograph with Kannel 1.4.5 as packaged by Debian: delivered messages per second and processor time per message.
// Each request sends a single-segment SMS over SMPP to an SMSC that accepts every message immediately. The servers take turns
// on the same machine. `simulator` is Heliograph with its own simulator instead of the SMSC. `kannel-receipts` is Kannel with
// delivery receipts, which Heliograph always requests. Exits with 1 only if a message was lost or refused. bench/README.md
// describes how Heliograph and Kannel differ.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { atExit } from '../chaos/world/at-exit.mjs';
import { checkGenerator, sendLoad } from './lib/load/load.mjs';
import { readOptions } from './lib/options.mjs';
import { checkPromise, describeMachine, median } from './lib/report.mjs';
import { hasKannel } from './lib/rivals/kannel.mjs';
import { openHeliograph, openKannel } from './lib/rivals/rivals.mjs';
import { startSmsc } from './lib/smsc.mjs';
import { startStore } from './lib/store.mjs';

const options = readOptions(
  import.meta.url,
  {
    rounds: '2',
    seconds: '6',
    'warm-up': '2',
    connections: '64,256',
    generator: undefined,
    window: '50',
    servers: 'smpp,kannel,simulator',
  },
  { rounds: '1', seconds: '1', 'warm-up': '1', connections: '16' },
);
if (!hasKannel()) {
  console.log(
    'Kannel is not installed, so nothing is compared. On Debian: apt-get install --no-install-recommends kannel',
  );
  process.exit(0);
}

const window = Number(options.window);
const generator = checkGenerator(options.generator);
const loads = options.connections.split(',').map(Number);
const MICROSECONDS = 1e6;
/** Minimum ratio of Heliograph's messages per second to Kannel's, by number of connections. */
const GOALS = { 64: 1.5, 256: 2 };

const folder = mkdtempSync(join(tmpdir(), 'heliograph-kannel-'));
const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
const unregister = atExit(remove);
const smsc = await startSmsc('lean-smsc');
const store = await startStore();

const RIVALS = {
  smpp: { title: 'Heliograph, over SMPP', open: (name) => openHeliograph({ store, database: name, smsc, window }) },
  kannel: {
    title: 'Kannel, over SMPP',
    open: (name) => openKannel({ folder, name, smsc, window, receipts: false }),
  },
  'kannel-receipts': {
    title: 'Kannel, over SMPP, with receipts',
    open: (name) => openKannel({ folder, name, smsc, window, receipts: true }),
  },
  simulator: {
    title: 'Heliograph, with its simulator',
    open: (name) => openHeliograph({ store, database: name, smsc: null, window }),
  },
};
const names = Object.keys(RIVALS).filter((name) => options.servers.split(',').includes(name));

/**
 * A run counts as finished only after this time without a submit, because requests that the load generator aborted may still be
 * accepted.
 */
const QUIET_MS = 300;

/**
 * Waits until the server submits no more messages.
 * @returns {Promise<import('./lib/rivals/rivals.mjs').Settled>}
 */
async function waitUntilSettled(rival) {
  let total = await rival.waitUntilSettled();
  for (;;) {
    await pause(QUIET_MS);
    const late = await rival.waitUntilSettled();
    if (late.submitted === 0 && !late.stored) return total;
    const stored = total.stored === null ? null : total.stored + late.stored;
    total = { ...late, submitted: total.submitted + late.submitted, stored, lastAt: late.lastAt ?? total.lastAt };
  }
}

async function measure({ name, round, connections }) {
  const rival = await RIVALS[name].open(`bench_${name.replace('-', '_')}_${connections}_${round}`);
  try {
    const load = { generator, ...rival.load, connections };
    await sendLoad({ ...load, seconds: Number(options['warm-up']) });
    await waitUntilSettled(rival);
    const before = rival.readProcessorSeconds();
    const figures = await sendLoad({ ...load, seconds: Number(options.seconds) });
    const loadEnd = performance.timeOrigin + performance.now();
    const settled = await waitUntilSettled(rival);
    const costs = Object.entries(rival.readProcessorSeconds()).map(([part, seconds]) => [
      part,
      seconds === null ? null : ((seconds - before[part]) / settled.submitted) * MICROSECONDS,
    ]);
    const drainSeconds = Math.max(0, (settled.lastAt - loadEnd) / 1000);
    const perSecond = settled.submitted / (figures.seconds + drainSeconds);
    return { name, round, connections, ...figures, ...settled, drainSeconds, perSecond, costs };
  } finally {
    await rival.close();
  }
}

const sum = (costs) => costs.reduce((total, [, cost]) => (cost === null ? null : total + cost), 0);
const formatCost = (cost) => (cost === null ? '-' : cost.toFixed(0));

function printProgress({ name, round, connections, perSecond, submitted, drainSeconds, costs }) {
  const parts = costs.map(([part, cost]) => `${part} ${formatCost(cost)} µs`).join(', ');
  console.log(
    `round ${round}  ${String(connections).padStart(4)} connections  ${name.padEnd(15)} ` +
      `${perSecond.toFixed(0).padStart(6)} delivered/s; ${submitted} delivered, the last ` +
      `${drainSeconds.toFixed(2)} s after the load; processor time per message: ${parts}`,
  );
}

/** Prints the medians for one number of connections as Markdown, and checks that no message was lost. */
function printLoad(connections, results) {
  const resultsFor = (name) => results.filter((result) => result.name === name);
  const medianFor = (name, toValue) => median(resultsFor(name).map(toValue));
  const kannel = names.includes('kannel') ? medianFor('kannel', (result) => result.perSecond) : null;
  console.log(
    `\n${describeMachine(generator)}; ${connections} connections; median of ${options.rounds} alternating rounds of ${options.seconds} s\n`,
  );
  console.log('| | delivered/s | to Kannel | p50 ms | p99 ms | processor µs per message | by process |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | --- |');
  for (const name of names) {
    const rate = medianFor(name, (result) => result.perSecond);
    const hasCosts = resultsFor(name).every(({ costs }) => sum(costs) !== null);
    const parts = resultsFor(name)[0].costs.map(([part], index) => [
      part,
      hasCosts ? medianFor(name, (result) => result.costs[index][1]) : null,
    ]);
    const cells = [
      RIVALS[name].title,
      rate.toFixed(0),
      kannel === null ? '-' : (rate / kannel).toFixed(2),
      medianFor(name, (result) => result.p50).toFixed(1),
      medianFor(name, (result) => result.p99).toFixed(1),
      formatCost(hasCosts ? medianFor(name, (result) => sum(result.costs)) : null),
      parts.map(([part, cost]) => `${part} ${formatCost(cost)}`).join(', '),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log('');
  for (const { name, round, accepted, submitted, stored, isComplete, lost, refused } of results) {
    // At its end, the load generator aborts one request per connection, although the server may already have accepted the
    // message.
    const isPlausible =
      submitted >= accepted && submitted <= accepted + lost + connections && submitted === (stored ?? submitted);
    checkPromise(
      isPlausible && isComplete && refused === 0,
      `${name}, round ${round}: ${accepted} accepted, ${submitted} delivered, ${lost} lost or timed out, ${refused} refused`,
    );
  }
  if (kannel === null || !names.includes('smpp')) return;
  const ratio = medianFor('smpp', (result) => result.perSecond) / kannel;
  const goal = GOALS[connections];
  console.log(
    `info:  Heliograph delivers ${ratio.toFixed(2)} times as many messages per second over SMPP as Kannel${goal ? ` (the goal is ${goal})` : ''}`,
  );
}

const results = [];
try {
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    for (const connections of loads) {
      for (const name of names) {
        const result = await measure({ name, round, connections });
        results.push(result);
        printProgress(result);
      }
    }
  }
} finally {
  await store.close();
  await smsc.stop();
  remove();
  unregister();
}
for (const connections of loads)
  printLoad(
    connections,
    results.filter((result) => result.connections === connections),
  );
