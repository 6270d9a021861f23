import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

/** Builds a command for the npm that started this process, or else for the installed npm. */
function buildNpmCommand(args) {
  const { npm_execpath: npm } = process.env;
  return npm ? [process.execPath, [npm, ...args]] : ['npm', args];
}

/**
 * Installs a version of Node.js from npm's package `node`.
 * @param {string} version such as 24 or 20.19.0
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
 * Finds another Node.js. A version is downloaded only once and then cached in node_modules/.cache.
 * @param {string} versionOrPath a version such as `24`, or the path of a program
 * @returns {{ path: string, version: string }}
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
  // The folder is renamed only when it is complete, because an installation may be interrupted or run twice concurrently.
  const fresh = mkdtempSync(join(CACHE, 'fetching-'));
  try {
    installNode(version, fresh);
    if (!existsSync(toNodePath(cached))) renameSync(fresh, cached);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return toNodePath(cached);
}
