// npm run chaos:pair [-- --parts 20000 --seconds 8 --preset twilio|heliograph --seed 1 --keep]
//
// Sends SMS through one Heliograph server to another, while both are killed (SIGKILL) and restarted at random. --preset is the
// API that connects them. Sends --parts segments in total, and then compares the responses with the messages, ledgers and
// balances of both servers. No message may be lost, and a message may be duplicated only if a response was lost. A seed repeats
// the random choices. --keep does not delete the folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseCommandLine } from '../scripts/lib/command-line.mjs';
import { readStore, waitUntilSettled } from './evidence.mjs';
import { checkPair } from './pair/check.mjs';
import { sendParts } from './pair/load.mjs';
import { Server } from './pair/server.mjs';
import { setUpPair } from './pair/set-up.mjs';
import { seededRandom } from './random.mjs';
import { atExit } from './world/at-exit.mjs';

const MAX_SHOWN = 20;
const PRESETS = ['twilio', 'heliograph'];

const { values } = parseCommandLine(import.meta.url, {
  options: {
    parts: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '8' },
    preset: { type: 'string', default: 'twilio' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
  },
});
const parts = Number(values.parts);
const seconds = Number(values.seconds);
if (!Number.isInteger(parts) || parts < 1) exitWithError('--parts must be a whole number above 0');
if (!(seconds > 0)) exitWithError('--seconds must be a number above 0');
if (!PRESETS.includes(values.preset)) exitWithError(`--preset must be one of ${PRESETS.join(', ')}`);

const random = seededRandom(Number(values.seed));
const newRandom = () => seededRandom(random.below(2 ** 31));
const folder = mkdtempSync(join(tmpdir(), 'heliograph-pair-'));
if (!values.keep) atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => process.exit(code));

const first = new Server({ name: 'first', folder, settings: { CARRIER_PRIVATE_HOSTS: '127.0.0.1' } });
const second = new Server({ name: 'second', folder, settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const start = performance.now();
try {
  await first.open();
  await second.open();
  await run();
} finally {
  for (const server of [first, second]) if (server.store) await server.close();
}

async function run() {
  const { account, apiKey, secondAccount } = await setUpPair({
    first,
    second,
    preset: values.preset,
    random: newRandom(),
  });
  const load = sendParts({ client: first.createClient(newRandom()), apiKey, parts, random: newRandom() });
  const kills = await killUntil(load, account);
  const journal = await load;
  const findings = [];
  // The first server is checked again at the end, because the second server may still report statuses to it.
  for (const [server, serverAccount] of [
    [first, account],
    [second, secondAccount],
    [first, account],
  ]) {
    if (!(await waitUntilSettled({ store: server.store, account: serverAccount }))) {
      findings.push(`stuck: nothing finished for three minutes on the ${server.name} server`);
    }
  }
  const evidence = {
    journal,
    first: await readStore({ store: first.store, account }),
    second: await readStore({ store: second.store, account: secondAccount }),
    kills: kills.first + kills.second,
  };
  const checked = checkPair(evidence);
  for (const server of [first, second])
    findings.push(...server.fleet.unexpectedExits.map((exit) => `ended: ${server.name} ${exit}`));
  findings.push(...checked.findings);
  const sum = (messages) => messages.reduce((total, message) => total + message.parts, 0);
  const duration = ((performance.now() - start) / 1000).toFixed(0);
  console.log(
    `seed ${values.seed}  ${values.preset}: ${sum(evidence.first.messages)} segments in ${evidence.first.messages.length} messages, ${duration} s; ` +
      `the first server was killed ${kills.first} times, the second ${kills.second} times; ` +
      `${sum(evidence.second.messages)} segments on the second, ${checked.doubled} messages duplicated after a lost response; ` +
      `${checked.unsure} messages with an unknown outcome: ${findings.length === 0 ? 'holds' : `${findings.length} FINDINGS`}`,
  );
  for (const finding of findings.slice(0, MAX_SHOWN)) console.log(`  ${finding}`);
  if (findings.length > MAX_SHOWN) console.log(`  … and ${findings.length - MAX_SHOWN} more`);
  if (findings.length > 0) {
    process.exitCode = 1;
    if (values.keep) console.log(`  output of the processes: ${folder}`);
  }
}

/** Kills random servers until every message is final, and both servers at least once. */
async function killUntil(load, account) {
  const counts = { first: 0, second: 0 };
  const killRandom = newRandom();
  let isComplete = false;
  load.then(
    () => {
      isComplete = true;
    },
    () => {
      isComplete = true;
    },
  );
  const isDone = async () => isComplete && (await first.countUnfinished(account)) === 0;
  for (let round = 0; ; round += 1) {
    await pause(seconds * (500 + killRandom.below(1_000)));
    if (round >= 2 && (await isDone())) return counts;
    // The first two kills are not random, so that even a short run kills both servers.
    const server = [second, first][round] ?? killRandom.pick([first, second]);
    await server.kill();
    counts[server.name] += 1;
  }
}

function exitWithError(message) {
  console.error(message);
  process.exit(2);
}
