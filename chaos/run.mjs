// npm run chaos [-- --seed 1 --runs 1 --backend postgres|redis|both --faults kill-one,commit-cut --count 4 --processes 3
//   --recipients 60 --per-second 300 --world pgbouncer --secured --short --keep]
//
// Starts Heliograph, causes faults, and compares the store with what senders, carriers and webhook receivers recorded. A seed
// repeats the random choices of a run. docs/develop/reliability.md lists the promises and the findings so far. A run has five
// random faults by default, and three with --short. --secured encrypts the connections to Redis in the worlds sentinel and
// cluster, and gives each user only the necessary rights. --keep does not delete the folder of a run with findings.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommandLine } from '../scripts/lib/command-line.mjs';
import { groupBy } from './check.mjs';
import { FAULTS } from './faults.mjs';
import { runOnce } from './once.mjs';
import { atExit } from './world/at-exit.mjs';
import { findRedisProgram } from './world/redis/single.mjs';
import { WORLDS } from './worlds.mjs';

const MAX_SHOWN_PER_KIND = 3;
const toKind = (finding) => finding.slice(0, finding.indexOf(':'));

const { values } = parseCommandLine(import.meta.url, {
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    runs: { type: 'string', default: '1' },
    backend: { type: 'string', default: 'both' },
    faults: { type: 'string' },
    count: { type: 'string' },
    recipients: { type: 'string', default: '3' },
    'per-second': { type: 'string' },
    processes: { type: 'string', default: '1' },
    world: { type: 'string', default: 'plain' },
    secured: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

const namedFaults = values.faults?.split(',') ?? null;
const unknown = namedFaults?.filter((name) => !(name in FAULTS)) ?? [];
if (unknown.length > 0)
  exitWithError(`--faults has unknown names: ${unknown.join(', ')}. Possible are: ${Object.keys(FAULTS).join(', ')}`);
if (!(values.world in WORLDS)) exitWithError(`--world must be one of ${Object.keys(WORLDS).join(', ')}`);
if (values.secured && !WORLDS[values.world].canBeSecured)
  exitWithError(`--world ${values.world} cannot be used with --secured`);
const missing = WORLDS[values.world].describeMissing();
if (missing) exitWithError(`--world ${values.world}: ${missing}`);
if (!['postgres', 'redis', 'both'].includes(values.backend)) exitWithError('--backend must be postgres, redis or both');
const hasRedis = findRedisProgram() !== null;
if (values.backend === 'redis' && !hasRedis) exitWithError('redis-server is not installed.');
const possibleBackends = WORLDS[values.world].backends ?? ['postgres', 'redis'];
const backends = values.backend === 'both' ? possibleBackends : [values.backend];
if (!backends.every((backend) => possibleBackends.includes(backend)))
  exitWithError(`--world ${values.world} requires --backend ${possibleBackends.join(' or ')}`);
const faultCount = Number(values.count ?? (values.short ? 3 : 5));

/** The first signal closes the world of the run, and a second signal exits immediately. */
const interruption = new AbortController();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => {
    process.exitCode = code;
    if (interruption.signal.aborted) process.exit();
    console.error(`Interrupted by ${signal}: closing everything.`);
    interruption.abort();
    // Requests in progress fail when their world is closed, so their rejections are ignored.
    process.on('unhandledRejection', () => {});
  });

const recipients = Number(values.recipients);
if (!(recipients >= 2)) exitWithError('--recipients must be 2 or more');
const perSecond = Number(values['per-second'] ?? Number.POSITIVE_INFINITY);
if (!(perSecond > 0)) exitWithError('--per-second must be above 0');
const repeatOptions =
  (recipients === 3 ? '' : ` --recipients ${recipients}`) +
  (perSecond === Number.POSITIVE_INFINITY ? '' : ` --per-second ${perSecond}`) +
  (values.processes === '1' ? '' : ` --processes ${values.processes}`) +
  (values.world === 'plain' ? '' : ` --world ${values.world}`) +
  (values.secured ? ' --secured' : '');
const totals = { runs: 0, messages: 0, findings: 0, skipped: 0 };
for (let index = 0; index < Number(values.runs); index += 1) {
  for (const backend of backends) {
    if (backend === 'redis' && !hasRedis) {
      totals.skipped += 1;
      continue;
    }
    const seed = Number(values.seed) + index;
    const folder = mkdtempSync(join(tmpdir(), 'heliograph-chaos-'));
    const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    // With --keep, the folder with the output of the processes remains after a failed run.
    const unregister = values.keep ? () => {} : atExit(remove);
    const start = performance.now();
    const { world, secured: isSecured, processes } = values;
    const options = {
      seed,
      backend,
      world,
      isSecured,
      namedFaults,
      faultCount,
      folder,
      processes,
      recipients,
      perSecond,
    };
    const { findings, messages, reads, faults, faultTimes } = await runOnce(options, interruption.signal).catch(
      (error) => {
        if (interruption.signal.aborted) process.exit();
        throw error;
      },
    );
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    const result = findings.length === 0 ? 'holds' : `${findings.length} FINDINGS`;
    console.log(
      `seed ${seed}  ${backend.padEnd(8)} ${messages} messages, ${reads} list reads, ${seconds} s, ${faults.join(', ')}: ${result}`,
    );
    if (values.world !== 'plain') {
      const formatGaps = (figure) =>
        faultTimes.map((fault) => `${fault.name} ${(fault[figure] / 1000).toFixed(1)} s`).join(', ');
      console.log(`  longest without an accepted request: ${formatGaps('unansweredMs')}`);
      console.log(`  longest without a message at a carrier: ${formatGaps('unsentMs')}`);
    }
    for (const finding of shorten(findings)) console.log(`  ${finding}`);
    if (findings.length > 0)
      console.log(
        `  repeat with: npm run chaos -- --seed ${seed} --backend ${backend} --faults ${faults.join(',')}${repeatOptions}`,
      );
    if (findings.length > 0 && values.keep) console.log(`  output of the processes: ${folder}`);
    else remove();
    unregister();
    totals.runs += 1;
    totals.messages += messages;
    totals.findings += findings.length;
  }
}
console.log(
  `${totals.runs} runs, ${totals.messages} messages, ${totals.findings} findings` +
    (totals.skipped > 0
      ? `; ${totals.skipped} runs with the queue in Redis were skipped, because redis-server is not installed`
      : ''),
);
if (totals.findings > 0 || (totals.skipped > 0 && process.env.CI === 'true')) process.exitCode = 1;

/** Shows only a few findings of each kind, because one mistake can cause a thousand findings. */
function shorten(findings) {
  const kinds = groupBy(findings, toKind);
  return [...kinds.values()].flatMap((kindFindings) => [
    ...kindFindings.slice(0, MAX_SHOWN_PER_KIND),
    ...(kindFindings.length > MAX_SHOWN_PER_KIND
      ? [`… and ${kindFindings.length - MAX_SHOWN_PER_KIND} more of ${toKind(kindFindings[0])}`]
      : []),
  ]);
}

function exitWithError(message) {
  console.error(message);
  process.exit(2);
}
