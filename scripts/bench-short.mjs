// node scripts/bench-short.mjs
//
// Runs every script of package.json whose name starts with `bench` with --short, to show that each benchmark still works. The
// results say nothing about speed. Prints one line per benchmark and the output of failed benchmarks, and exits with 1 if a
// benchmark failed.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseCommandLine } from './lib/command-line.mjs';

parseCommandLine(import.meta.url);

const PROJECT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
/** A benchmark takes about ten seconds on an idle machine, so this timeout leaves room for a busy one. */
const TIMEOUT_MS = 180_000;
/** Two benchmarks run concurrently, because each benchmark mostly waits for its servers to start. */
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

// The build comes first, so that no two benchmarks build at the same time.
await new Promise((resolve, reject) => {
  execFile(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: PROJECT_FOLDER }, (error) =>
    error ? reject(error) : resolve(),
  );
});
await Promise.all(Array.from({ length: CONCURRENCY }, runQueued));
