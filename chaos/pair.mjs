// npm run chaos:pair [-- --parts 20000 --seconds 8 --preset twilio|heliograph --seed 1 --keep]
//
// A Heliograph sends through another one by a preset, while both are killed (SIGKILL) and restarted at random. Sends --parts
// segments of SMS and then compares responses, messages, ledger and balance of both servers. Nothing may be lost, and nothing
// duplicated unless a response was lost. A seed repeats the random choices. --keep leaves the folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { commandLine } from '../scripts/lib/command-line.mjs';
import { readStore, settle } from './evidence.mjs';
import { checkPair } from './pair/check.mjs';
import { sendParts } from './pair/load.mjs';
import { Server } from './pair/server.mjs';
import { setUpPair } from './pair/set-up.mjs';
import { choices as choicesOf } from './random.mjs';
import { atExit } from './world/at-exit.mjs';

const SHOWN = 20;
const PRESETS = ['twilio', 'heliograph'];

const { values } = commandLine(import.meta.url, {
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
if (!Number.isInteger(parts) || parts < 1) stop('--parts is a number above 0');
if (!(seconds > 0)) stop('--seconds is a number above 0');
if (!PRESETS.includes(values.preset)) stop(`--preset is one of ${PRESETS.join(', ')}`);

const choices = choicesOf(Number(values.seed));
const ownChoices = () => choicesOf(choices.below(2 ** 31));
const folder = mkdtempSync(join(tmpdir(), 'heliograph-pair-'));
if (!values.keep) atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => process.exit(code));

const first = new Server({ name: 'first', folder, settings: { CARRIER_PRIVATE_HOSTS: '127.0.0.1' } });
const second = new Server({ name: 'second', folder, settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const began = performance.now();
try {
  await first.open();
  await second.open();
  await run();
} finally {
  for (const server of [first, second]) if (server.store) await server.close();
}

async function run() {
  const { account, apiKey, there } = await setUpPair({ first, second, preset: values.preset, choices: ownChoices() });
  const load = sendParts({ client: first.client(ownChoices()), apiKey, parts, choices: ownChoices() });
  const kills = await killUntil(load, account);
  const journal = await load;
  const findings = [];
  for (const [server, of] of [
    [first, account],
    [second, there],
    [first, account],
  ]) {
    if (!(await settle({ store: server.store, account: of }))) {
      findings.push(`stuck: for three minutes nothing more ended on the ${server.name}`);
    }
  }
  const evidence = {
    journal,
    first: await readStore({ store: first.store, account }),
    second: await readStore({ store: second.store, account: there }),
    kills: kills.first + kills.second,
  };
  const checked = checkPair(evidence);
  for (const server of [first, second])
    findings.push(...server.fleet.ended.map((each) => `ended: ${server.name} ${each}`));
  findings.push(...checked.findings);
  const sum = (messages) => messages.reduce((total, each) => total + each.parts, 0);
  const took = ((performance.now() - began) / 1000).toFixed(0);
  console.log(
    `seed ${values.seed}  ${values.preset}: ${sum(evidence.first.messages)} parts in ${evidence.first.messages.length} messages, ${took} s; ` +
      `killed: the first ${kills.first} times, the second ${kills.second} times; ` +
      `${sum(evidence.second.messages)} parts at the second, ${checked.doubled} messages twice, each of a lost answer; ` +
      `${checked.unsure} whose end nobody knows: ${findings.length === 0 ? 'holds' : `${findings.length} FINDINGS`}`,
  );
  for (const finding of findings.slice(0, SHOWN)) console.log(`  ${finding}`);
  if (findings.length > SHOWN) console.log(`  … and ${findings.length - SHOWN} more`);
  if (findings.length > 0) {
    process.exitCode = 1;
    if (values.keep) console.log(`  what the processes said is in ${folder}`);
  }
}

/** Kills the servers at random until everything is sent and final. Each is killed at least once. */
async function killUntil(load, account) {
  const counts = { first: 0, second: 0 };
  const hands = ownChoices();
  let isComplete = false;
  load.then(
    () => {
      isComplete = true;
    },
    () => {
      isComplete = true;
    },
  );
  const isDone = async () => isComplete && (await first.waiting(account)) === 0;
  for (let turn = 0; ; turn += 1) {
    await pause(seconds * (500 + hands.below(1_000)));
    if (turn >= 2 && (await isDone())) return counts;
    // The first two kills are fixed, so that even a short run has both.
    const server = [second, first][turn] ?? hands.pick([first, second]);
    await server.kill();
    counts[server.name] += 1;
  }
}

function stop(sentence) {
  console.error(sentence);
  process.exit(2);
}
