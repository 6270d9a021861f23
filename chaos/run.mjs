// npm run chaos [-- --seed 1 --runs 1 --backend postgres|redis|both --faults kill-one,commit-cut --count 4 --processes 3
//   --recipients 60 --per-second 300 --world pgbouncer --secured --short --keep]
//
// Starts real processes, causes real faults, and compares the store with what senders, carriers and webhook receivers recorded.
// A seed repeats the random choices of a run. docs/reliability.md lists the promises and the findings so far. By default a run
// has five random faults, three with --short. --secured encrypts the connections to Redis in the worlds sentinel and cluster,
// and gives users limited rights. --keep leaves the folder of a run with findings.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine } from '../scripts/lib/command-line.mjs';
import { grouped } from './check.mjs';
import { FAULTS } from './faults.mjs';
import { runOnce } from './once.mjs';
import { atExit } from './world/at-exit.mjs';
import { redisProgram } from './world/redis/single.mjs';
import { WORLDS } from './worlds.mjs';

const SHOWN_OF_A_KIND = 3;
const kindOf = (finding) => finding.slice(0, finding.indexOf(':'));

const { values } = commandLine(import.meta.url, {
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
  stop(`--faults: there is no ${unknown.join(', ')}; there are ${Object.keys(FAULTS).join(', ')}`);
if (!(values.world in WORLDS)) stop(`--world is one of ${Object.keys(WORLDS).join(', ')}`);
if (values.secured && !WORLDS[values.world].canBeSecured) stop(`--world ${values.world} cannot be --secured`);
const missing = WORLDS[values.world].missing();
if (missing) stop(`--world ${values.world}: ${missing}`);
if (!['postgres', 'redis', 'both'].includes(values.backend)) stop('--backend is postgres, redis or both');
const hasRedis = redisProgram() !== null;
if (values.backend === 'redis' && !hasRedis) stop('There is no redis-server on this machine.');
const both = WORLDS[values.world].backends ?? ['postgres', 'redis'];
const backends = values.backend === 'both' ? both : [values.backend];
if (!backends.every((each) => both.includes(each))) stop(`--world ${values.world} has the queue in ${both.join(', ')}`);
const count = Number(values.count ?? (values.short ? 3 : 5));

/** The first interruption closes the world of the run; the second exits at once. */
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
    // Requests in progress fail when their world is closed.
    process.on('unhandledRejection', () => {});
  });

const recipients = Number(values.recipients);
if (!(recipients >= 2)) stop('--recipients is the maximum number of recipients of a send, 2 or more');
const perSecond = Number(values['per-second'] ?? Number.POSITIVE_INFINITY);
if (!(perSecond > 0)) stop('--per-second is the maximum number of messages per second, above 0');
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
    // With --keep, a failed run leaves the output of its processes.
    const removed = values.keep ? () => {} : atExit(remove);
    const began = performance.now();
    const { world, secured: isSecured, processes } = values;
    const options = {
      seed,
      backend,
      world,
      isSecured,
      named: namedFaults,
      count,
      folder,
      processes,
      recipients,
      perSecond,
    };
    const { findings, messages, reads, faults, made } = await runOnce(options, interruption.signal).catch((error) => {
      if (interruption.signal.aborted) process.exit();
      throw error;
    });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const result = findings.length === 0 ? 'holds' : `${findings.length} FINDINGS`;
    console.log(
      `seed ${seed}  ${backend.padEnd(8)} ${messages} messages, ${reads} looks, ${seconds} s, ${faults.join(', ')}: ${result}`,
    );
    if (values.world !== 'plain') {
      const waits = (figure) => made.map((fault) => `${fault.name} ${(fault[figure] / 1000).toFixed(1)} s`).join(', ');
      console.log(`  longest without an accepted request: ${waits('unansweredMs')}`);
      console.log(`  longest without a message at a carrier: ${waits('unsentMs')}`);
    }
    for (const finding of summed(findings)) console.log(`  ${finding}`);
    if (findings.length > 0)
      console.log(
        `  repeat with: npm run chaos -- --seed ${seed} --backend ${backend} --faults ${faults.join(',')}${repeatOptions}`,
      );
    if (findings.length > 0 && values.keep) console.log(`  what the processes said is in ${folder}`);
    else remove();
    removed();
    totals.runs += 1;
    totals.messages += messages;
    totals.findings += findings.length;
  }
}
console.log(
  `${totals.runs} runs, ${totals.messages} messages, ${totals.findings} findings` +
    (totals.skipped > 0
      ? `; ${totals.skipped} runs with the queue in Redis were left out: there is no redis-server`
      : ''),
);
if (totals.findings > 0 || (totals.skipped > 0 && process.env.CI === 'true')) process.exitCode = 1;

/** A few findings of each kind: one mistake can cause a thousand. */
function summed(findings) {
  const kinds = grouped(findings, kindOf);
  return [...kinds.values()].flatMap((all) => [
    ...all.slice(0, SHOWN_OF_A_KIND),
    ...(all.length > SHOWN_OF_A_KIND ? [`… and ${all.length - SHOWN_OF_A_KIND} more of ${kindOf(all[0])}`] : []),
  ]);
}

function stop(sentence) {
  console.error(sentence);
  process.exit(2);
}
