// npm run mutants [-- --area money] [--file src/accounts] [--listed] [--sample 10] [--jobs 2] [--record]
//
// Plants the mistakes of test/mutants one at a time in a copy of the project, and runs the tests of the folder under test/ that
// mirrors the folder of the mistake. A mistake is killed when a test fails. It prints what survived, and then exits with 1.
// --area and --file take some of the mistakes. --listed runs only the test file that each entry names, and takes only entries
// that name one; --sample takes so many of those, chosen by the hash of the commit. --record writes the file that
// killed a mistake into its entry.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine, refuse, usageOf } from './lib/command-line.mjs';
import { findFault, nearestTests, readMutants } from './lib/mutants.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Milliseconds after which a run of tests counts as hanging. */
const PATIENCE_MS = 900_000;

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
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });

const mutants = readMutants(ROOT);
const faults = mutants.flatMap((mutant) => {
  const fault = findFault(ROOT, mutant);
  return fault ? [`test/mutants/${mutant.area}.json, ${mutant.file}: ${fault}: ${JSON.stringify(mutant.search)}`] : [];
});
if (faults.length > 0) refuse(usageOf(import.meta.url), faults.join('\n'));

const chosen = choose();
if (chosen.length === 0) refuse(usageOf(import.meta.url), 'No mistake is listed there.');

const folder = mkdtempSync(join(tmpdir(), 'heliograph-mutants-'));
const queue = chosen.values();
const results = [];
try {
  await Promise.all(Array.from({ length: Number(options.jobs) }, (_, job) => work(makeCopy(`copy-${job}`))));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report();

function choose() {
  const listed = options.listed || options.sample !== undefined;
  const taken = mutants.filter(
    ({ area, file, killedBy }) =>
      (!options.area || area === options.area) &&
      (!options.file || file.startsWith(options.file)) &&
      (!listed || killedBy),
  );
  if (options.sample === undefined) return taken;
  const commit = git('rev-parse', 'HEAD').trim();
  const order = (mutant) => createHash('sha256').update(`${commit} ${mutant.file} ${mutant.search}`).digest('hex');
  return taken.sort((one, other) => (order(one) < order(other) ? -1 : 1)).slice(0, Number(options.sample));
}

/** Copies what git knows and what is not committed yet; the packages are linked. */
function makeCopy(name) {
  const copy = join(folder, name);
  const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0').filter(Boolean);
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file), { verbatimSymlinks: true, force: true });
  }
  for (const built of ['dist', 'src/platform/generated']) cpSync(join(ROOT, built), join(copy, built), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function work(copy) {
  for (const mutant of queue) {
    const path = join(copy, mutant.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, source.replace(mutant.search, () => mutant.replace));
    const start = performance.now();
    const result = await runTests(copy, mutant);
    writeFileSync(path, source);
    results.push({ mutant, ...result });
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(`${result.killer ? 'killed' : 'SURVIVED'} after ${seconds} s: ${describe(mutant)}`);
    if (result.killer) console.log(`  by ${result.killer}`);
    if (options.record && result.killer && result.killer !== mutant.killedBy) recordKiller(mutant, result.killer);
  }
}

/**
 * @returns {Promise<{killer: string | null}>} the first test file that failed
 * @throws Error if no test ran, or if a test file could not be loaded: that says nothing about the mistake
 */
async function runTests(copy, mutant) {
  const nearest = nearestTests(copy, mutant);
  const tests = options.listed || options.sample !== undefined ? nearest.slice(0, 1) : nearest;
  // The file that is known to kill it runs alone at first.
  const runs = mutant.killedBy && tests.length > 1 ? [tests.slice(0, 1), tests.slice(1)] : [tests];
  for (const files of runs) {
    const killer = await runOnce(copy, files);
    if (killer) return { killer };
  }
  return { killer: null };
}

async function runOnce(copy, files) {
  const reportFile = join(copy, 'mutant-report.json');
  rmSync(reportFile, { force: true });
  const args = ['run', '--bail=1', '--reporter=json', `--outputFile=${reportFile}`, '--passWithNoTests', ...files];
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    cwd: copy,
    env: { ...process.env, CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-20_000);
    });
  }
  const [code] = await new Promise((resolve) => child.once('close', (...ended) => resolve(ended)));
  if (code === null) return `${files[0]} (it hung)`;
  let run;
  try {
    run = JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    throw new Error(`the tests of ${files.join(' ')} did not run:\n${output}`);
  }
  if (/Transform failed|PARSE_ERROR|SyntaxError/.test(JSON.stringify(run.testResults))) {
    throw new Error(`the mistake is no TypeScript:\n${output}`);
  }
  const failed = run.testResults.find(({ status }) => status === 'failed');
  if (failed) return relative(copy, failed.name);
  if (code !== 0) throw new Error(`no test failed, but the run of ${files.join(' ')} did:\n${output}`);
  return null;
}

function recordKiller(mutant, killer) {
  const path = join(ROOT, `test/mutants/${mutant.area}.json`);
  const list = JSON.parse(readFileSync(path, 'utf8'));
  const entry = list.find(({ file, search, replace }) =>
    file === mutant.file && search === mutant.search && replace === mutant.replace,
  );
  entry.killedBy = killer;
  writeFileSync(path, `${JSON.stringify(list, null, 2)}\n`);
}

function describe({ file, search, replace, why }) {
  const short = (text) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  return `${file}: ${short(search)} → ${short(replace)} (${why})`;
}

function report() {
  const killed = results.filter(({ killer }) => killer).length;
  const share = ((100 * killed) / results.length).toFixed(1);
  const survivors = results.filter(({ killer }) => !killer).map(({ mutant }) => mutant);
  for (const mutant of survivors) {
    console.log(`\nsurvived: ${describe(mutant)}`);
    console.log(mutant.survives ? `  expected: ${mutant.survives}` : `  no test in ${dirname(nearestTests(ROOT, mutant)[0] ?? '')} failed`);
  }
  console.log(`\n${killed} of ${results.length} mistakes killed (${share} %)`);
  if (survivors.some(({ survives }) => !survives)) process.exitCode = 1;
}
