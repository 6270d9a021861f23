import { availableParallelism, cpus } from 'node:os';
import { SHORT } from './options.mjs';

/** The middle one; of an even number, the mean of the two in the middle. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The shares that a load of 256 connections must reach; of one of 64 only what is delivered meanwhile has one. */
const TARGETS = [
  ['api', 'bare', 0.6],
  ['api', 'create', 6],
  ['all', 'bare', 0.35],
  ['api-redis', 'bare', 0.6],
  ['api-redis', 'create', 6],
  ['all-redis', 'bare', 0.35],
];

/** What else is told of two servers beside each other, where both were measured. */
const PAIRS = [
  ['tcp', 'all'],
  ['pooled', 'tcp'],
  ['pooled', 'all'],
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
  const of = (name) => results.filter((each) => each.name === name);
  const medians = Object.fromEntries(names.map((name) => [name, median(of(name).map((each) => each.perSecond))]));
  console.log(
    `\n${machineLine(generator)}; ${connections} connections; ` +
      `median of ${options.rounds} alternating rounds of ${options.seconds} s\n`,
  );
  console.log('| server | requests/s | p50 ms | p99 ms | to (a) | to (b) |\n|---|---:|---:|---:|---:|---:|');
  for (const [name, perSecond] of Object.entries(medians)) {
    const own = of(name);
    const cells = [
      own[0].title,
      perSecond.toFixed(0),
      median(own.map((each) => each.p50)).toFixed(1),
      median(own.map((each) => each.p99)).toFixed(1),
      ratio(perSecond, medians[besideOf(own[0], 'bare')]),
      ratio(perSecond, medians[besideOf(own[0], 'create')]),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log('');
  printCost(names, of);
  for (const [one, other] of pairsOf(names, of)) printPair(of(one), of(other));
  for (const [name, base, least] of TARGETS) {
    if (!(name in medians && base in medians)) continue;
    if (connections < 256 && !name.startsWith('all')) continue;
    const share = medians[name] / medians[base];
    speed(share >= least, `${of(name)[0].title} is ${share.toFixed(2)} of ${base} (at least ${least})`);
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
function printCost(names, of) {
  const costs = names.map((name) => {
    const own = of(name).map(({ cost }) => cost);
    const [node, postgres, pooler] = ['node', 'postgres', 'pooler'].map((part) =>
      median(own.map((each) => each[part])),
    );
    return { ...of(name)[0], node, postgres, pooler };
  });
  if (names.some((name) => of(name).some((each) => wholeCost(each) === null))) {
    console.log('This system does not tell how much of the processors a process takes.\n');
    return;
  }
  const isPooled = costs.some(({ pooler }) => pooler > 0);
  const heads = ['Node.js µs', ...(isPooled ? ['PgBouncer µs'] : []), 'PostgreSQL µs', 'in requests of (a)'];
  console.log(`| processor time of a request | ${heads.join(' | ')} |\n|---|${'---:|'.repeat(heads.length)}`);
  for (const { name, title, node, postgres, pooler } of costs) {
    const bare = costs.find((each) => each.name === besideOf(of(name)[0], 'bare'))?.node;
    const whole = of(name)[0].server === 'bare' ? node : node + pooler + postgres;
    const parts = [node, ...(isPooled ? [pooler] : []), postgres].map((micros) => micros.toFixed(0));
    console.log(`| ${[title, ...parts, ratio(whole, bare)].join(' | ')} |`);
  }
  console.log('');
}

/** Processor time of a request in all processes; null where that is not told. */
function wholeCost({ server, cost: { node, postgres, pooler } }) {
  if (node === null || postgres === null || pooler === null) return null;
  // The bare route asks nothing of PostgreSQL: what that does meanwhile is none of its cost.
  return server === 'bare' ? node : node + postgres + pooler;
}

/** The name of another server under the same Node.js. */
const besideOf = ({ name, server }, other) => other + name.slice(server.length);

/** Each server of another Node.js beside that of the present one, and `PAIRS` of each Node.js. */
function pairsOf(names, of) {
  const pairs = names.flatMap((name) => {
    const own = of(name)[0];
    const others = PAIRS.filter(([one]) => one === own.server).map(([, other]) => besideOf(own, other));
    return [...(own.node ? [own.server] : []), ...others].map((other) => [name, other]);
  });
  return pairs.filter(([, other]) => names.includes(other));
}

/** Tells two servers beside each other: in each round, since what else the machine does changes from one to the next. */
function printPair(one, other) {
  const told = (figureOf) => {
    const ratios = one.map((each, round) => figureOf(each) / figureOf(other[round]));
    return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} by rounds)`;
  };
  const cost = wholeCost(one[0]) === null ? '' : `, and ${told(wholeCost)} of its processor time a request`;
  console.log(`told:  ${one[0].name} is ${told((each) => each.perSecond)} of ${other[0].name} a second${cost}`);
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
