import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The folder that `prisma generate` writes. */
export const GENERATED = join(ROOT, 'src', 'platform', 'generated');

const DIST = join(ROOT, 'dist');
const STAMP = '.build-stamp';
const INPUTS = [
  'src',
  'console',
  'scripts/lib',
  'docs/examples',
  'prisma/schema.prisma',
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
];

/** An error that the operator can fix, so it is shown without a stack trace. */
export class BuildError extends Error {}

/**
 * Returns whether `dist` is up to date. Without sources, an existing `dist` is enough. Every start checks the build, so file
 * contents are read only if a size or time has changed since the build.
 */
export function isFresh() {
  if (!existsSync(join(ROOT, 'src'))) return existsSync(join(DIST, 'main.js'));
  const stamp = join(DIST, STAMP);
  if (!existsSync(stamp)) return false;
  const [contents, times] = readFileSync(stamp, 'utf8').trim().split('\n');
  return times === hashInputs(readTimes) || contents === hashInputs(readContents);
}

/** Returns whether Prisma's client exists, which tests and the type check need if the sources exist. */
export function isGenerated() {
  if (!existsSync(join(ROOT, 'src'))) return true;
  return existsSync(join(GENERATED, 'prisma', 'client.ts'));
}

/**
 * Replaces the whole folder `dist`. If `fill` fails, the previous build stays unchanged. If `complete` fails, the next start
 * builds `dist` again.
 * @param {(folder: string) => void} fill writes the new files into a folder that does not exist yet
 * @param {(dist: string) => void} [complete] adds files that need the new `dist` in its final location
 * @throws {BuildError}
 */
export function replaceDist(fill, complete = () => {}) {
  const stamp = `${hashInputs(readContents)}\n${hashInputs(readTimes)}\n`;
  // The folder is inside dist, so that files can be renamed instead of copied.
  const fresh = join(DIST, `.fresh-${randomBytes(4).toString('hex')}`);
  try {
    fill(fresh);
    // The stamp is deleted first and written last, so that an interrupted replacement is built again.
    rmSync(join(DIST, STAMP), { force: true });
    for (const name of readdirSync(DIST)) {
      if (!name.startsWith('.fresh-')) rmSync(join(DIST, name), { recursive: true, force: true });
    }
    for (const name of readdirSync(fresh).filter((name) => name !== STAMP))
      renameSync(join(fresh, name), join(DIST, name));
    complete(DIST);
    writeFileSync(join(DIST, STAMP), stamp);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    throw new BuildError(`${ROOT} needs a build, but is not writable (${error.message}).`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** @param {(file: string) => string | Buffer} read returns the data to hash for a file */
function hashInputs(read) {
  const hash = createHash('sha256');
  for (const file of INPUTS.flatMap((input) => listFiles(join(ROOT, input)))) {
    hash.update(`\0${relative(ROOT, file)}\0`).update(read(file));
  }
  return hash.digest('hex');
}

const readContents = (file) => readFileSync(file);

function readTimes(file) {
  const { size, mtimeMs } = statSync(file);
  return `${size} ${mtimeMs}`;
}

function listFiles(path) {
  if (path === GENERATED || !existsSync(path)) return [];
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    throw error;
  }
  return entries
    .map((entry) => entry.name)
    .sort()
    .flatMap((name) => listFiles(join(path, name)));
}
