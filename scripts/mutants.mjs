// npm run mutants [-- --area money,guard] [--file src/accounts] [--listed] [--sample 10] [--jobs 2] [--record]
//
// Applies each mistake listed in test/mutants to a copy of the project, one at a time, and runs the tests in the folder under
// test/ that mirrors the folder of the source. A mistake is killed when a test fails. Prints the mistakes that survived, and
// exits with 1 if a survivor has no `survives` or a mistake could not be tested. --area and --file select mistakes. --listed
// selects only mistakes with a `killedBy`, and runs only the test file that is named there. --sample selects a number of these
// mistakes by the hash of the commit. --record writes the test file that killed a mistake into the entry of the mistake.
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
import { exitWithUsage, parseCommandLine } from './lib/command-line.mjs';
import { findProblem, listNearestTests, readMutants } from './lib/mutants.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Tests that take longer than this timeout are hanging. */
const TIMEOUT_MS = 600_000;
/** Number of test files that run before the next check for a failure. */
const FILES_AT_ONCE = 4;

const { values: options } = parseCommandLine(import.meta.url, {
  options: {
    area: { type: 'string' },
    file: { type: 'string' },
    listed: { type: 'boolean', default: false },
    sample: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    record: { type: 'boolean', default: false },
  },
});
const usesListedTests = options.listed || options.sample !== undefined;
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });

const mutants = readMutants(ROOT);
const invalidEntries = mutants.flatMap((mutant) => {
  const problem = findProblem(ROOT, mutant);
  return problem
    ? [`test/mutants/${mutant.area}.json, ${mutant.file}: ${problem}: ${JSON.stringify(mutant.search)}`]
    : [];
});
if (invalidEntries.length > 0) exitWithUsage(import.meta.url, invalidEntries.join('\n'));
const selectedMutants = selectMutants();
if (selectedMutants.length === 0) exitWithUsage(import.meta.url, 'The options select none of the listed mistakes.');

const folder = mkdtempSync(join(tmpdir(), 'heliograph-mutants-'));
// Removal is repeated, because a test process may still be writing to the folder.
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
const queue = selectedMutants.values();
const results = [];
await Promise.all(Array.from({ length: Number(options.jobs) }, (_, job) => testMutants(makeCopy(`copy-${job}`))));
report();

function selectMutants() {
  const { area, file, sample } = options;
  const selected = mutants.filter(
    (mutant) =>
      (!area || area.split(',').includes(mutant.area)) &&
      (!file || mutant.file.startsWith(file)) &&
      (!usesListedTests || mutant.killedBy),
  );
  if (sample === undefined) return selected;
  const commit = git('rev-parse', 'HEAD').trim();
  const rank = ({ file, search, replace }) =>
    createHash('sha256').update(`${commit} ${file} ${search} ${replace}`).digest('hex');
  return selected.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, Number(sample));
}

/**
 * Copies the project with uncommitted changes and the build. Packages are linked separately, because caches are written to
 * node_modules itself.
 */
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
    for (const name of readdirSync(join(ROOT, packages))) {
      if (name !== '.cache' && name !== '.vite') symlinkSync(join(ROOT, packages, name), join(copy, packages, name));
    }
  }
  return copy;
}

async function testMutants(copy) {
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
    const { killer, problem } = await runNearestTests(tests, mutant);
    writeFileSync(path, source);
    if (tests.hasExited()) tests = null;
    results.push({ mutant, killer, problem });
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    const outcome = killer ? `killed by ${killer}` : problem ? 'NOT TESTED' : 'SURVIVED';
    console.log(`${outcome} (${seconds} s): ${describe(mutant)}`);
    if (problem) console.log(problem);
    if (options.record && killer && killer !== mutant.killedBy) recordKiller(mutant, killer);
  }
  await tests?.stop();
}

/**
 * Returns the first test file that failed, or why no test could run.
 * @returns {Promise<{killer: string | null, problem?: string}>}
 */
async function runNearestTests(tests, mutant) {
  const files = listNearestTests(ROOT, mutant);
  if (files.length === 0) return { killer: null, problem: 'the mirrored folder has no tests' };
  // The test file that is known to kill the mistake runs first and alone.
  const otherFiles = usesListedTests ? [] : files.slice(1);
  for (const batch of [files.slice(0, 1), ...toBatches(otherFiles)]) {
    const result = await tests.run(mutant.file, batch);
    if (result.killer || result.problem) return result;
  }
  return { killer: null };
}

function toBatches(files) {
  return Array.from({ length: Math.ceil(files.length / FILES_AT_ONCE) }, (_, index) =>
    files.slice(index * FILES_AT_ONCE, (index + 1) * FILES_AT_ONCE),
  );
}

/** Starts a process that runs test files, and kills the process if it hangs. */
async function startTests(copy) {
  const child = fork(join(copy, 'scripts/lib/mutant-tests.mjs'), [], {
    cwd: copy,
    env: { ...process.env, CI: 'true', TESTS: '', TEST_NAMED: '1', TEST_REPORT_FILE: '', TEST_HANG_MS: '60000' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-20_000);
    });
  }
  let hasExited = false;
  const exited = once(child, 'close').then(() => {
    hasExited = true;
    return { killer: null, problem: `the tests did not run:\n${output}` };
  });
  const nextMessage = () => Promise.race([once(child, 'message').then(([message]) => message), exited]);
  // The first message says that the process is ready.
  await nextMessage();
  // The process must reload the file of the previous mutant, which has been restored.
  let restoredFiles = [];
  const run = async (file, files) => {
    if (hasExited) return exited;
    let isHanging = false;
    const timer = setTimeout(() => {
      isHanging = true;
      child.kill('SIGKILL');
    }, TIMEOUT_MS);
    child.send({ changed: [...restoredFiles, file], files });
    restoredFiles = [file];
    const result = await nextMessage();
    clearTimeout(timer);
    // A mistake that makes tests hang counts as killed.
    return isHanging ? { killer: files[0] } : result;
  };
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    // Node.js 20 emits no `close` after `disconnect`, so this function waits for `exit`.
    if (child.connected) child.disconnect();
    await exit;
  };
  return { run, hasExited: () => hasExited, stop };
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
    const note = problem ? 'could not be tested' : (mutant.survives ?? 'no test in the mirrored folder failed');
    console.log(`\nnot killed: ${describe(mutant)}\n  ${note}`);
  }
  const share = ((100 * killed.length) / results.length).toFixed(1);
  console.log(`\n${killed.length} of ${results.length} mistakes killed (${share} %)`);
  if (survivors.some(({ mutant, problem }) => problem || !mutant.survives)) process.exitCode = 1;
}
