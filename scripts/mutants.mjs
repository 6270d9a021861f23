// npm run mutants [-- --area money,guard] [--file src/accounts] [--listed] [--sample 10] [--jobs 2] [--record]
//
// Applies each mistake listed in test/mutants to a copy of the project, one at a time, and runs the tests in the folder under
// test/ that mirrors its folder. A mistake is killed when a test fails. Prints the mistakes that survived, and exits with 1 if
// one of them has no `survives`, or if one could not be tested.
// --area and --file select mistakes. --listed takes only those with a `killedBy`, and runs only that test file. --sample does the
// same for this many of them, chosen by the hash of the commit. --record writes the test file that killed a mistake into its entry.
import { execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine, refuse, usageOf } from './lib/command-line.mjs';
import { findFault, nearestTests, readMutants } from './lib/mutants.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Tests that take longer are hanging. */
const TIMEOUT_MS = 600_000;
/** Number of test files to run before checking for a failure. */
const FILES_AT_ONCE = 4;

const { values: options } = commandLine(import.meta.url, {
  options: {
    area: { type: 'string' },
    file: { type: 'string' },
    listed: { type: 'boolean', default: false },
    sample: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    record: { type: 'boolean', default: false },
  },
});
const usesListedOnly = options.listed || options.sample !== undefined;
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });

const mutants = readMutants(ROOT);
const faults = mutants.flatMap((mutant) => {
  const fault = findFault(ROOT, mutant);
  return fault ? [`test/mutants/${mutant.area}.json, ${mutant.file}: ${fault}: ${JSON.stringify(mutant.search)}`] : [];
});
if (faults.length > 0) refuse(usageOf(import.meta.url), faults.join('\n'));
const chosen = choose();
if (chosen.length === 0) refuse(usageOf(import.meta.url), 'No such mistake is listed.');

const folder = mkdtempSync(join(tmpdir(), 'heliograph-mutants-'));
// A test process may still be writing there.
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
const queue = chosen.values();
const results = [];
await Promise.all(Array.from({ length: Number(options.jobs) }, (_, job) => work(makeCopy(`copy-${job}`))));
report();

function choose() {
  const { area, file, sample } = options;
  const selected = mutants.filter(
    (mutant) =>
      (!area || area.split(',').includes(mutant.area)) &&
      (!file || mutant.file.startsWith(file)) &&
      (!usesListedOnly || mutant.killedBy),
  );
  if (sample === undefined) return selected;
  const commit = git('rev-parse', 'HEAD').trim();
  const rank = ({ file, search, replace }) =>
    createHash('sha256').update(`${commit} ${file} ${search} ${replace}`).digest('hex');
  return selected.sort((one, other) => (rank(one) < rank(other) ? -1 : 1)).slice(0, Number(sample));
}

/** Includes uncommitted changes and the build. Packages are linked one by one, because caches are written to node_modules. */
function makeCopy(name) {
  const copy = join(folder, name);
  const sources = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const path of [...sources, 'dist', 'src/platform/generated']) {
    if (!path || !existsSync(join(ROOT, path))) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path), { recursive: true, verbatimSymlinks: true });
  }
  for (const packages of ['node_modules', 'tools/node_modules', 'tools/vendors/node_modules']) {
    if (!existsSync(join(ROOT, packages))) continue;
    mkdirSync(join(copy, packages), { recursive: true });
    for (const each of readdirSync(join(ROOT, packages))) {
      if (each !== '.cache' && each !== '.vite') symlinkSync(join(ROOT, packages, each), join(copy, packages, each));
    }
  }
  return copy;
}

async function work(copy) {
  let tests = null;
  for (const mutant of queue) {
    const path = join(copy, mutant.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      source.replace(mutant.search, () => mutant.replace),
    );
    const start = performance.now();
    tests ??= await startTests(copy);
    const { killer, problem } = await killWith(tests, mutant);
    writeFileSync(path, source);
    if (tests.hasEnded()) tests = null;
    results.push({ mutant, killer, problem });
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    const outcome = killer ? `killed by ${killer}` : problem ? 'NOT TRIED' : 'SURVIVED';
    console.log(`${outcome} (${seconds} s): ${describe(mutant)}`);
    if (problem) console.log(problem);
    if (options.record && killer && killer !== mutant.killedBy) recordKiller(mutant, killer);
  }
  await tests?.end();
}

/** @returns {Promise<{killer: string | null, problem?: string}>} the first test file that failed, or why nothing could be run */
async function killWith(tests, mutant) {
  const files = nearestTests(ROOT, mutant);
  if (files.length === 0) return { killer: null, problem: 'there are no tests in the mirrored folder' };
  // The known killer runs first, alone.
  const rest = usesListedOnly ? [] : files.slice(1);
  for (const each of [files.slice(0, 1), ...slices(rest)]) {
    const result = await tests.run(mutant.file, each);
    if (result.killer || result.problem) return result;
  }
  return { killer: null };
}

function slices(files) {
  return Array.from({ length: Math.ceil(files.length / FILES_AT_ONCE) }, (_, index) =>
    files.slice(index * FILES_AT_ONCE, (index + 1) * FILES_AT_ONCE),
  );
}

/** The process is killed if it hangs. */
async function startTests(copy) {
  const child = fork(join(copy, 'scripts/lib/mutant-tests.mjs'), [], {
    cwd: copy,
    env: { ...process.env, CI: 'true', TESTS: '', TEST_REPORT_FILE: '', TEST_HANG_MS: '60000' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-20_000);
    });
  }
  let isOver = false;
  const closed = once(child, 'close').then(() => {
    isOver = true;
    return { killer: null, problem: `the tests did not run:\n${output}` };
  });
  const answer = () => Promise.race([once(child, 'message').then(([message]) => message), closed]);
  await answer();
  let before = [];
  const run = async (file, files) => {
    if (isOver) return closed;
    let isHanging = false;
    const timer = setTimeout(() => {
      isHanging = true;
      child.kill('SIGKILL');
    }, TIMEOUT_MS);
    child.send({ changed: [...before, file], files });
    before = [file];
    const result = await answer();
    clearTimeout(timer);
    // A mistake that makes tests hang counts as killed.
    return isHanging ? { killer: files[0] } : result;
  };
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    // Node.js 20 emits no `close` after this.
    if (child.connected) child.disconnect();
    await exit;
  };
  return { run, hasEnded: () => isOver, end };
}

function recordKiller(mutant, killer) {
  const path = join(ROOT, `test/mutants/${mutant.area}.json`);
  const list = JSON.parse(readFileSync(path, 'utf8'));
  const entry = list.find(
    ({ file, search, replace }) => file === mutant.file && search === mutant.search && replace === mutant.replace,
  );
  entry.killedBy = killer;
  writeFileSync(path, `${JSON.stringify(list, null, 2)}\n`);
}

function describe({ file, search, replace, why }) {
  const short = (text) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  return `${file}: ${short(search)} → ${short(replace)} (${why})`;
}

function report() {
  const killed = results.filter(({ killer }) => killer);
  const survivors = results.filter(({ killer }) => !killer);
  for (const { mutant, problem } of survivors) {
    const note = problem ? 'could not be tried' : (mutant.survives ?? 'no test of the mirrored folder failed');
    console.log(`\nnot killed: ${describe(mutant)}\n  ${note}`);
  }
  const share = ((100 * killed.length) / results.length).toFixed(1);
  console.log(`\n${killed.length} of ${results.length} mistakes killed (${share} %)`);
  if (survivors.some(({ mutant, problem }) => problem || !mutant.survives)) process.exitCode = 1;
}
