import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

/** Uses the npm that started this process, if there is one. */
function npmCommand(args) {
  const { npm_execpath: npm } = process.env;
  return npm ? [process.execPath, [npm, ...args]] : ['npm', args];
}

/**
 * Installs a Node.js from npm's package `node`.
 * @param {string} version e.g. `24` or `20.19.0`
 * @param {string} folder must exist
 * @returns the path of the program
 */
export function installNode(version, folder) {
  const [npm, args] = npmCommand(['install', '--prefix', folder, '--no-save', `node@${version}`]);
  const done = spawnSync(npm, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`npm install node@${version} ended with ${done.status}: ${done.stderr}`);
  return nodeIn(folder);
}

const nodeIn = (folder) => join(folder, 'node_modules', 'node', 'bin', 'node');

/**
 * Finds another Node.js. A version is downloaded once and kept in node_modules/.cache.
 * @param {string} wanted a path, or e.g. `24`
 * @returns {{ path: string, version: string }} `version` in full
 */
export function otherNode(wanted) {
  const path = /^\d+(\.\d+)*$/.test(wanted) ? keptNode(wanted) : wanted;
  const { status, stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${path} is no Node.js: ${error?.message ?? `it ended with ${status}`}`);
  return { path, version: stdout.trim().replace('v', '') };
}

function keptNode(version) {
  const kept = join(CACHE, version);
  if (existsSync(nodeIn(kept))) return nodeIn(kept);
  mkdirSync(CACHE, { recursive: true });
  // Renamed once complete: an installation may be interrupted, or run twice at once.
  const fresh = mkdtempSync(join(CACHE, 'fetching-'));
  try {
    installNode(version, fresh);
    if (!existsSync(nodeIn(kept))) renameSync(fresh, kept);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return nodeIn(kept);
}
