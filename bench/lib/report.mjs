import { availableParallelism, cpus } from 'node:os';
import { SHORT } from './options.mjs';

/** The middle one; of an even number, the mean of the two in the middle. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const NAMES = {
  bare: '(a) bare route: same schemas, same authentication, stores nothing',
  create: '(b) one prisma.message.create per request',
  api: 'Heliograph, ROLE=api',
  all: 'Heliograph, ROLE=all, everything delivered meanwhile',
  several: 'Heliograph, ROLE=all in several processes, everything delivered meanwhile',
  'api-redis': 'Heliograph, ROLE=api, queue on Redis',
  'all-redis': 'Heliograph, ROLE=all, queue on Redis, everything delivered meanwhile',
};

/** The shares that a load of 256 connections must reach; of one of 64 only what is delivered meanwhile has one. */
const TARGETS = [
  ['api', 'bare', 0.6],
  ['api', 'create', 6],
  ['all', 'bare', 0.35],
  ['api-redis', 'bare', 0.6],
  ['api-redis', 'create', 6],
  ['all-redis', 'bare', 0.35],
];

/** `-` where what is compared with was left out. */
const ratio = (perSecond, base) => (base ? (perSecond / base).toFixed(2) : '-');

/** What a table was measured on. */
export function machineLine(generator) {
  const machine = `${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'})`;
  return `${machine}, load generator (${generator}) included; Node.js ${process.versions.node}`;
}

/** Prints the medians, the ratios and the deliveries of one load as Markdown, and sets the exit code by the targets. */
export function printReport({ generator, connections, options, results }) {
  const names = [...new Set(results.map((each) => each.name))];
  const medians = Object.fromEntries(
    names.map((name) => [name, median(results.filter((each) => each.name === name).map((each) => each.perSecond))]),
  );
  console.log(
    `\n${machineLine(generator)}; ${connections} connections; ` +
      `median of ${options.rounds} alternating rounds of ${options.seconds} s\n`,
  );
  console.log('| server | requests/s | p50 ms | p99 ms | to (a) | to (b) |\n|---|---:|---:|---:|---:|---:|');
  for (const [name, perSecond] of Object.entries(medians)) {
    const own = results.filter((each) => each.name === name);
    const cells = [
      NAMES[name],
      perSecond.toFixed(0),
      median(own.map((each) => each.p50)).toFixed(1),
      median(own.map((each) => each.p99)).toFixed(1),
      ratio(perSecond, medians.bare),
      ratio(perSecond, medians.create),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log('');
  printCost(names, results);
  for (const [name, base, least] of TARGETS) {
    if (!(name in medians && base in medians)) continue;
    if (connections < 256 && !name.startsWith('all')) continue;
    const share = medians[name] / medians[base];
    speed(share >= least, `${NAMES[name]} is ${share.toFixed(2)} of ${base} (at least ${least})`);
  }
  for (const { name, round, lost, refused, delivery } of results) {
    // What was lost on the way is the machine's; what was refused is the server's, and no figure of it holds.
    if (lost + refused > 0)
      verdict(refused === 0, `${name}, round ${round}: ${lost} lost or timed out, ${refused} refused`);
    if (!delivery) continue;
    const { accepted, delivered, drainSeconds } = delivery;
    verdict(delivered === accepted, `${name}, round ${round}: ${delivered} of ${accepted} delivered`);
    // A backlog that grew with the load would take seconds to drain, however long the load was.
    speed(
      drainSeconds < 2,
      `${name}, round ${round}: the last was delivered ${drainSeconds.toFixed(2)} s after the load`,
    );
  }
}

/**
 * Prints the processor time of a request, of whatever it leads to as well. It scatters less than how many there are in a
 * second: other work on the machine takes time from a process, and hardly makes it need more.
 */
function printCost(names, results) {
  const costs = names.map((name) => {
    const own = results.filter((each) => each.name === name).map(({ cost }) => cost);
    return { name, node: median(own.map(({ node }) => node)), postgres: median(own.map(({ postgres }) => postgres)) };
  });
  if (results.some(({ cost }) => cost.node === null || cost.postgres === null)) {
    console.log('This system does not tell how much of the processors a process takes.\n');
    return;
  }
  const bare = costs.find(({ name }) => name === 'bare')?.node;
  console.log(
    '| processor time of a request | Node.js µs | PostgreSQL µs | in requests of (a) |\n|---|---:|---:|---:|',
  );
  for (const { name, node, postgres } of costs) {
    // The bare route asks nothing of PostgreSQL: what that does meanwhile is none of its cost.
    const whole = name === 'bare' ? node : node + postgres;
    console.log(`| ${NAMES[name]} | ${node.toFixed(0)} | ${postgres.toFixed(0)} | ${ratio(whole, bare)} |`);
  }
  console.log('');
}

/** Prints whether a promise holds; one that does not makes the run fail. */
export function verdict(holds, text) {
  console.log(`${holds ? 'holds:' : 'FAILS:'} ${text}`);
  if (!holds) process.exitCode = 1;
}

/** The same of how fast something is, which a short run tells and does not judge. */
export function speed(holds, text) {
  if (SHORT) console.log(`told:  ${text}`);
  else verdict(holds, text);
}
