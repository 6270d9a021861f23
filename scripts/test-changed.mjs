// npm run test:changed [-- COMMIT]
//
// Runs the tests that are most likely to fail after the changes since COMMIT. Without COMMIT, the changes are those that are
// uncommitted, or those of the last commit. A run takes about a minute, while `TESTS=all npm test` runs all tests.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { selectTests } from './lib/changed-tests.mjs';
import { parseCommandLine } from './lib/command-line.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
const run = (...command) => spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;

const listChangesSince = (commit) => [
  ...git('diff', '--name-only', commit),
  ...git('ls-files', '--others', '--exclude-standard'),
];
const {
  args: [commit],
} = parseCommandLine(import.meta.url, { maxArguments: 1 });
let changed = listChangesSince(commit ?? 'HEAD');
if (!commit && changed.length === 0) changed = listChangesSince('HEAD~1');

const sources = new Map(
  readdirSync(join(ROOT, 'test'), { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [`test/${path.replaceAll('\\', '/')}`, readFileSync(join(ROOT, 'test', path), 'utf8')]),
);
const { chosen, omitted } = selectTests(changed, sources);
console.log(`${changed.length} changed files, ${chosen.length + omitted} related test files.`);
if (omitted > 0) console.log(`Running ${chosen.length} of them; TESTS=all npm test runs all tests.`);
if (chosen.length > 0) {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--passWithNoTests', ...chosen];
  process.exitCode = run('scripts/build.mjs', '--if-stale') || run(...vitest);
}
