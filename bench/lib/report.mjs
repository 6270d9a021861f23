import { availableParallelism, cpus } from 'node:os';
import { SHORT } from './options.mjs';

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Ratios that each load must reach. With 64 connections only deliveries during the load have a target. */
const TARGETS = [
  ['api', 'bare', 0.6],
  ['api', 'create', 6],
  ['all', 'bare', 0.35],
  ['api-redis', 'bare', 0.6],
  ['api-redis', 'create', 6],
  ['all-redis', 'bare', 0.35],
];

/** Further pairs of servers to compare, if both were measured. */
const PAIRS = [
  ['tcp', 'all'],
  ['pooled', 'tcp'],
  ['pooled', 'all'],
];

/** `-` if the base was not measured. */
const ratio = (perSecond, base) => (base ? (perSecond / base).toFixed(2) : '-');

/** Describes the machine above a table. */
export function machineLine(generator) {
  const machine = `${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'})`;
  return `${machine}, load generator (${generator}) included; Node.js ${process.versions.node}`;
}

/** Prints medians, ratios and deliveries of one load as Markdown, and sets the exit code by the targets. */
export function printReport({ generator, connections, options, results }) {
  const names = [...new Set(results.map((each) => each.name))];
  const resultsFor = (name) => results.filter((each) => each.name === name);
  const medians = Object.fromEntries(
    names.map((name) => [name, median(resultsFor(name).map((each) => each.perSecond))]),
  );
  console.log(
    `\n${machineLine(generator)}; ${connections} connections; ` +
      `median of ${options.rounds} alternating rounds of ${options.seconds} s\n`,
  );
  console.log('| server | requests/s | p50 ms | p99 ms | to (a) | to (b) |\n|---|---:|---:|---:|---:|---:|');
  for (const [name, perSecond] of Object.entries(medians)) {
    const rounds = resultsFor(name);
    const cells = [
      rounds[0].title,
      perSecond.toFixed(0),
      median(rounds.map((each) => each.p50)).toFixed(1),
      median(rounds.map((each) => each.p99)).toFixed(1),
      ratio(perSecond, medians[nameBeside(rounds[0], 'bare')]),
      ratio(perSecond, medians[nameBeside(rounds[0], 'create')]),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log('');
  printCost(names, resultsFor);
  for (const [one, other] of listPairs(names, resultsFor)) printPair(resultsFor(one), resultsFor(other));
  for (const [name, base, least] of TARGETS) {
    if (!(name in medians && base in medians)) continue;
    if (connections < 256 && !name.startsWith('all')) continue;
    const share = medians[name] / medians[base];
    speed(share >= least, `${resultsFor(name)[0].title} is ${share.toFixed(2)} of ${base} (at least ${least})`);
  }
  for (const { name, round, lost, refused, delivery } of results) {
    // Lost requests may be the machine's fault. Refused requests are the server's, and make its figures worthless.
    if (lost + refused > 0)
      verdict(refused === 0, `${name}, round ${round}: ${lost} lost or timed out, ${refused} refused`);
    if (!delivery) continue;
    const { accepted, delivered, drainSeconds } = delivery;
    verdict(delivered === accepted, `${name}, round ${round}: ${delivered} of ${accepted} delivered`);
    // A backlog that grows during the load would take seconds to drain.
    speed(
      drainSeconds < 2,
      `${name}, round ${round}: the last was delivered ${drainSeconds.toFixed(2)} s after the load`,
    );
  }
}

/**
 * Prints the processor time per request, including the work that the request causes later. It varies less than requests per second:
 * other programs take time from a process, but hardly change how much it needs.
 */
function printCost(names, resultsFor) {
  const costs = names.map((name) => {
    const costsPerRound = resultsFor(name).map(({ cost }) => cost);
    const [node, postgres, pooler] = ['node', 'postgres', 'pooler'].map((part) =>
      median(costsPerRound.map((each) => each[part])),
    );
    return { ...resultsFor(name)[0], node, postgres, pooler };
  });
  if (names.some((name) => resultsFor(name).some((each) => wholeCost(each) === null))) {
    console.log('This system does not provide the processor time of processes.\n');
    return;
  }
  const isPooled = costs.some(({ pooler }) => pooler > 0);
  const heads = ['Node.js µs', ...(isPooled ? ['PgBouncer µs'] : []), 'PostgreSQL µs', 'in requests of (a)'];
  console.log(`| processor time of a request | ${heads.join(' | ')} |\n|---|${'---:|'.repeat(heads.length)}`);
  for (const { name, title, node, postgres, pooler } of costs) {
    const bare = costs.find((each) => each.name === nameBeside(resultsFor(name)[0], 'bare'))?.node;
    const whole = resultsFor(name)[0].server === 'bare' ? node : node + pooler + postgres;
    const parts = [node, ...(isPooled ? [pooler] : []), postgres].map((micros) => micros.toFixed(0));
    console.log(`| ${[title, ...parts, ratio(whole, bare)].join(' | ')} |`);
  }
  console.log('');
}

/** Processor time per request in all processes, or null if the system does not provide it. */
function wholeCost({ server, cost: { node, postgres, pooler } }) {
  if (node === null || postgres === null || pooler === null) return null;
  // The bare route does not use PostgreSQL, whose background work does not count.
  return server === 'bare' ? node : node + postgres + pooler;
}

/** The name of another server with the same Node.js. */
const nameBeside = ({ name, server }, otherServer) => otherServer + name.slice(server.length);

/** Each server with the other Node.js compared with the same server here, and `PAIRS` for each Node.js. */
function listPairs(names, resultsFor) {
  const pairs = names.flatMap((name) => {
    const result = resultsFor(name)[0];
    const partners = PAIRS.filter(([one]) => one === result.server).map(([, other]) => nameBeside(result, other));
    return [...(result.node ? [result.server] : []), ...partners].map((partner) => [name, partner]);
  });
  return pairs.filter(([, other]) => names.includes(other));
}

/** Compares two servers round by round, because the load of the machine changes from round to round. */
function printPair(first, second) {
  const printRatio = (readFigure) => {
    const ratios = first.map((each, round) => readFigure(each) / readFigure(second[round]));
    return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} by rounds)`;
  };
  const cost = wholeCost(first[0]) === null ? '' : `, and ${printRatio(wholeCost)} of its processor time a request`;
  console.log(
    `info:  ${first[0].name} is ${printRatio((each) => each.perSecond)} of ${second[0].name} a second${cost}`,
  );
}

/** Prints whether a promise is kept. A broken promise makes the run fail. */
export function verdict(holds, text) {
  console.log(`${holds ? 'holds:' : 'FAILS:'} ${text}`);
  if (!holds) process.exitCode = 1;
}

/** Prints whether a speed target is reached. A short run only reports the figure. */
export function speed(holds, text) {
  if (SHORT) console.log(`info:  ${text}`);
  else verdict(holds, text);
}
