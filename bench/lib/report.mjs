import { availableParallelism, cpus } from 'node:os';
import { SHORT } from './options.mjs';

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Pairs of servers, with the minimum ratio of the first server's requests per second to the second's. Targets for servers that
 * only accept messages, and do not deliver them, apply only from 256 connections upwards.
 */
const TARGETS = [
  ['api', 'bare', 0.6],
  ['api', 'create', 6],
  ['all', 'bare', 0.35],
  ['api-redis', 'bare', 0.6],
  ['api-redis', 'create', 6],
  ['all-redis', 'bare', 0.35],
];

/** Further pairs of servers, which are compared if both servers were measured. */
const PAIRS = [
  ['tcp', 'all'],
  ['pooled', 'tcp'],
  ['pooled', 'all'],
];

/** Returns `-` if the other server of the comparison was not measured. */
const formatRatio = (perSecond, base) => (base ? (perSecond / base).toFixed(2) : '-');

export function describeMachine(generator) {
  const machine = `${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'})`;
  return `${machine}, load generator (${generator}) included; Node.js ${process.versions.node}`;
}

/** Prints the medians, ratios and deliveries for one number of connections as Markdown. */
export function printReport({ generator, connections, options, results }) {
  const names = [...new Set(results.map((result) => result.name))];
  const resultsFor = (name) => results.filter((result) => result.name === name);
  const medians = Object.fromEntries(
    names.map((name) => [name, median(resultsFor(name).map((result) => result.perSecond))]),
  );
  console.log(
    `\n${describeMachine(generator)}; ${connections} connections; ` +
      `median of ${options.rounds} alternating rounds of ${options.seconds} s\n`,
  );
  console.log('| server | requests/s | p50 ms | p99 ms | to (a) | to (b) |\n|---|---:|---:|---:|---:|---:|');
  for (const [name, perSecond] of Object.entries(medians)) {
    const rounds = resultsFor(name);
    const cells = [
      rounds[0].title,
      perSecond.toFixed(0),
      median(rounds.map((result) => result.p50)).toFixed(1),
      median(rounds.map((result) => result.p99)).toFixed(1),
      formatRatio(perSecond, medians[findCounterpart(rounds[0], 'bare')]),
      formatRatio(perSecond, medians[findCounterpart(rounds[0], 'create')]),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log('');
  printCost(names, resultsFor);
  for (const [first, second] of listPairs(names, resultsFor)) printPair(resultsFor(first), resultsFor(second));
  for (const [name, base, minShare] of TARGETS) {
    if (!(name in medians && base in medians)) continue;
    if (connections < 256 && !name.startsWith('all')) continue;
    const share = medians[name] / medians[base];
    checkSpeed(
      share >= minShare,
      `${resultsFor(name)[0].title} accepts ${share.toFixed(2)} times as many requests as ${base} (at least ${minShare})`,
    );
  }
  for (const { name, round, lost, refused, delivery } of results) {
    // Lost requests are tolerated, because an overloaded machine may lose some, but refused requests make the figures
    // worthless.
    if (lost + refused > 0)
      checkPromise(refused === 0, `${name}, round ${round}: ${lost} lost or timed out, ${refused} refused`);
    if (!delivery) continue;
    const { accepted, delivered, drainSeconds } = delivery;
    checkPromise(delivered === accepted, `${name}, round ${round}: ${delivered} of ${accepted} delivered`);
    // Draining the backlog takes longer than two seconds only if the backlog has grown during the load.
    checkSpeed(
      drainSeconds < 2,
      `${name}, round ${round}: the last message was delivered ${drainSeconds.toFixed(2)} s after the load`,
    );
  }
}

/**
 * Prints the processor time per request, including work that is done after the response. Processor time varies less than
 * requests per second, because other programs hardly affect how much processor time a server needs.
 */
function printCost(names, resultsFor) {
  const costs = names.map((name) => {
    const costsPerRound = resultsFor(name).map(({ cost }) => cost);
    const [node, postgres, pooler] = ['node', 'postgres', 'pooler'].map((part) =>
      median(costsPerRound.map((cost) => cost[part])),
    );
    return { ...resultsFor(name)[0], node, postgres, pooler };
  });
  if (names.some((name) => resultsFor(name).some((result) => sumCost(result) === null))) {
    console.log('This system does not provide the processor time of processes.\n');
    return;
  }
  const isPooled = costs.some(({ pooler }) => pooler > 0);
  const headings = ['Node.js µs', ...(isPooled ? ['PgBouncer µs'] : []), 'PostgreSQL µs', 'ratio to (a)'];
  console.log(`| processor time per request | ${headings.join(' | ')} |\n|---|${'---:|'.repeat(headings.length)}`);
  for (const { name, title, node, postgres, pooler } of costs) {
    const bare = costs.find((result) => result.name === findCounterpart(resultsFor(name)[0], 'bare'))?.node;
    const total = resultsFor(name)[0].server === 'bare' ? node : node + pooler + postgres;
    const parts = [node, ...(isPooled ? [pooler] : []), postgres].map((micros) => micros.toFixed(0));
    console.log(`| ${[title, ...parts, formatRatio(total, bare)].join(' | ')} |`);
  }
  console.log('');
}

/** Returns the processor time per request, summed over all processes, or null if the system does not provide it. */
function sumCost({ server, cost: { node, postgres, pooler } }) {
  if (node === null || postgres === null || pooler === null) return null;
  // PostgreSQL's background work does not count for the bare route, which does not use PostgreSQL.
  return server === 'bare' ? node : node + postgres + pooler;
}

/** Returns the name of the target in which another server runs with the same Node.js version. */
const findCounterpart = ({ name, server }, otherServer) => otherServer + name.slice(server.length);

/** Lists the pairs to compare: the two Node.js versions of each server and, for each version, the servers in `PAIRS`. */
function listPairs(names, resultsFor) {
  const pairs = names.flatMap((name) => {
    const result = resultsFor(name)[0];
    const partners = PAIRS.filter(([server]) => server === result.server).map(([, partner]) =>
      findCounterpart(result, partner),
    );
    return [...(result.node ? [result.server] : []), ...partners].map((partner) => [name, partner]);
  });
  return pairs.filter(([, partner]) => names.includes(partner));
}

/** Compares two servers round by round, because the machine's load changes between rounds. */
function printPair(first, second) {
  const formatRatios = (readFigure) => {
    const ratios = first.map((result, round) => readFigure(result) / readFigure(second[round]));
    return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in single rounds)`;
  };
  const cost = sumCost(first[0]) === null ? '' : `, with ${formatRatios(sumCost)} times its processor time per request`;
  console.log(
    `info:  ${first[0].name} accepts ${formatRatios((result) => result.perSecond)} times as many requests per second as ${second[0].name}${cost}`,
  );
}

/** Prints whether a promised property of the server holds. If a promised property does not hold, even a short run fails. */
export function checkPromise(holds, text) {
  console.log(`${holds ? 'holds:' : 'FAILS:'} ${text}`);
  if (!holds) process.exitCode = 1;
}

/** Prints whether a speed target was met; a missed target makes the run fail, unless the run is short. */
export function checkSpeed(holds, text) {
  if (SHORT) console.log(`info:  ${text}`);
  else checkPromise(holds, text);
}
