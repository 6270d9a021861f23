import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

/** Uses the npm that started this process, if there is one. */
function buildNpmCommand(args) {
  const { npm_execpath: npm } = process.env;
  return npm ? [process.execPath, [npm, ...args]] : ['npm', args];
}

/**
 * Installs a version of Node.js from npm's package `node`.
 * @param {string} version e.g. `24` or `20.19.0`
 * @param {string} folder must exist
 * @returns the path of the program
 */
export function installNode(version, folder) {
  const [npm, args] = buildNpmCommand(['install', '--prefix', folder, '--no-save', `node@${version}`]);
  const result = spawnSync(npm, args, { encoding: 'utf8' });
  if (result.status !== 0)
    throw new Error(`npm install node@${version} exited with ${result.status}: ${result.stderr}`);
  return toNodePath(folder);
}

const toNodePath = (folder) => join(folder, 'node_modules', 'node', 'bin', 'node');

/**
 * Finds another Node.js. A version is downloaded once and cached in node_modules/.cache.
 * @param {string} versionOrPath e.g. `24`, or a path
 * @returns {{ path: string, version: string }} `version` in full
 */
export function findOtherNode(versionOrPath) {
  const path = /^\d+(\.\d+)*$/.test(versionOrPath) ? installCachedNode(versionOrPath) : versionOrPath;
  const { status, stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${path} is not Node.js: ${error?.message ?? `it exited with ${status}`}`);
  return { path, version: stdout.trim().replace('v', '') };
}

function installCachedNode(version) {
  const cached = join(CACHE, version);
  if (existsSync(toNodePath(cached))) return toNodePath(cached);
  mkdirSync(CACHE, { recursive: true });
  // Renamed once complete, because an installation may be interrupted or run twice at once.
  const fresh = mkdtempSync(join(CACHE, 'fetching-'));
  try {
    installNode(version, fresh);
    if (!existsSync(toNodePath(cached))) renameSync(fresh, cached);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return toNodePath(cached);
}
