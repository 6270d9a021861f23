import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.build-stamp');
const GENERATED = join(ROOT, 'src', 'platform', 'generated');
const INPUTS = ['src', 'prisma/schema.prisma', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/** A reason for the operator, told without a stack. */
export class BuildError extends Error {}

/** Whether `dist` was built from the sources as they are now. An installation without sources is never stale. */
export function isFresh() {
  if (!existsSync(join(ROOT, 'src'))) return existsSync(join(DIST, 'main.js'));
  if (!existsSync(STAMP) || !existsSync(join(GENERATED, 'prisma', 'client.ts'))) return false;
  return readFileSync(STAMP, 'utf8').trim() === hashInputs();
}

/**
 * Generates Prisma's client and compiles `src` into `dist`, which is replaced as a whole: a build that fails leaves the
 * last one as it was.
 * @throws {BuildError}
 */
export function build() {
  const prisma = findTool('prisma', 'prisma');
  const compiler = findTool('typescript', 'tsc');
  const hash = hashInputs();
  const fresh = join(ROOT, 'dist', `.fresh-${randomBytes(4).toString('hex')}`);
  try {
    run('prisma generate', [prisma, 'generate'], {
      // With any existing file as its engine it downloads none, and generating needs none.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    });
    run('tsc', [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh], {});
    chmodSync(join(fresh, 'cli', 'main.js'), 0o755);
    writeFileSync(join(fresh, '.build-stamp'), `${hash}\n`);
    replaceDist(fresh);
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(error.code)) {
      throw new BuildError(`${ROOT} must be built, but cannot be written (${error.message}).`);
    }
    throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The stamp goes first and comes last, so that a replacement that was cut short is built again. */
function replaceDist(fresh) {
  rmSync(STAMP, { force: true });
  for (const name of readdirSync(DIST)) {
    if (!name.startsWith('.fresh-')) rmSync(join(DIST, name), { recursive: true, force: true });
  }
  const names = readdirSync(fresh).filter((name) => name !== '.build-stamp');
  for (const name of [...names, '.build-stamp']) renameSync(join(fresh, name), join(DIST, name));
}

function findTool(name, binary) {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin[binary]);
  } catch {
    const state = isFresh() ? 'dist is up to date, and runs without them' : 'dist is missing or out of date';
    throw new BuildError(`The development dependencies that a build needs are not installed; ${state}. Run: npm ci`);
  }
}

function run(name, args, env) {
  const { status, error, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) throw new BuildError(`${name} failed:\n${stdout}${stderr}`);
}

function hashInputs() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of INPUTS.flatMap((input) => filesOf(join(ROOT, input)))) {
    hash.update(`\0${relative(ROOT, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesOf(path) {
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
    .flatMap((name) => filesOf(join(path, name)));
}
