// node scripts/bench-short.mjs
//
// Runs every script of package.json whose name starts with `bench`, each with --short, to show that it still works; the results
// say nothing about speed. Prints one line per benchmark, and the output of those that fail. Exits with 1 if one fails.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseCommandLine } from './lib/command-line.mjs';

parseCommandLine(import.meta.url);

const PROJECT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
/** On an idle machine, a benchmark takes about ten seconds. */
const TIMEOUT_MS = 180_000;
/** Each benchmark mostly waits for its servers to start. */
const CONCURRENCY = 2;

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const queue = Object.keys(scripts).filter((name) => name.startsWith('bench'));
if (queue.length === 0) throw new Error('package.json has no script whose name starts with bench');

function runBenchmark(name) {
  const options = { cwd: PROJECT_FOLDER, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', name, '--', '--short'], options, (error, stdout, stderr) => {
      const reason = error && (error.killed ? `took more than ${TIMEOUT_MS / 1000} s` : `exit code ${error.code}`);
      resolve({ reason, output: `${stdout}${stderr}` });
    });
  });
}

async function runQueued() {
  for (let name = queue.shift(); name; name = queue.shift()) {
    const start = performance.now();
    const { reason, output } = await runBenchmark(name);
    const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(5);
    console.log(`${reason ? 'FAILS:' : 'runs: '} ${name.padEnd(16)} ${seconds} s${reason ? `, ${reason}` : ''}`);
    if (!reason) continue;
    console.log(output.replace(/^/gm, '    '));
    process.exitCode = 1;
  }
}

// Build first, so that no two benchmarks build at the same time.
await new Promise((resolve, reject) => {
  execFile(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: PROJECT_FOLDER }, (error) =>
    error ? reject(error) : resolve(),
  );
});
await Promise.all(Array.from({ length: CONCURRENCY }, runQueued));
