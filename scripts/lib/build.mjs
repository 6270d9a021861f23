import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readExamples } from './api-examples/files.mjs';
import { BuildError, GENERATED, ROOT, replaceDist } from './dist.mjs';
import { copyPrismaRuntime } from './prisma-runtime.mjs';
import { shortenSourcePaths } from './source-maps.mjs';

/** Files that a build in a temporary folder needs besides packages. */
const PROJECT_FILES = [
  'package.json',
  'package-lock.json',
  'prisma.config.ts',
  'tsconfig.json',
  'tsconfig.build.json',
  'console',
  'docs/examples',
  'prisma',
  'scripts',
  'src',
];

/** Returns whether the development dependencies are installed. */
export function canBuild() {
  return ['prisma', 'typescript', 'vite'].every((name) => findManifest(name) !== undefined);
}

/**
 * Builds `dist`, which also works on other machines.
 * @throws {BuildError}
 */
export function build() {
  checkNodeVersion();
  const prisma = findTool('prisma', 'prisma');
  const compiler = findTool('typescript', 'tsc');
  const bundler = findTool('vite', 'vite');
  replaceDist((folder) => {
    run(
      'prisma generate',
      ['--require', join(ROOT, 'scripts', 'lib', 'prisma-without-studio.cjs'), prisma, 'generate'],
      {
        env: {
          // Prisma downloads no engine if this variable names an existing file, which generating does not use.
          PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
          PRISMA_HIDE_UPDATE_MESSAGE: '1',
          CHECKPOINT_DISABLE: '1',
        },
      },
    );
    run('tsc', [compiler, '-p', 'tsconfig.build.json', '--outDir', folder]);
    copyPrismaRuntime(join(folder, 'platform', 'generated', 'prisma'));
    run('Bundling the server', [join(ROOT, 'scripts', 'lib', 'bundle-server.mjs'), folder]);
    shortenSourcePaths(folder);
    run('vite build', [bundler, 'build', 'console', '--outDir', join(folder, 'console'), '--logLevel', 'warn']);
    copyApiReference(join(folder, 'reference'));
    writeFileSync(join(folder, 'api-examples.json'), `${JSON.stringify(readExamples())}\n`);
    chmodSync(join(folder, 'cli', 'main.js'), 0o755);
  }, writeOpenApi);
}

/**
 * Builds in a temporary folder, with the development dependencies of the lockfile but without install scripts.
 * @throws {BuildError}
 */
export function buildInTemporaryFolder() {
  checkNodeVersion();
  // In this variable, npm passes its own path to scripts.
  const npm = process.env.npm_execpath;
  if (!npm) throw new BuildError('The development dependencies that a build needs are not installed. Run: npm ci');
  let temporaryFolder;
  try {
    temporaryFolder = mkdtempSync(join(tmpdir(), 'heliograph-build-'));
    for (const name of PROJECT_FILES) {
      cpSync(join(ROOT, name), join(temporaryFolder, name), { recursive: true, filter: (path) => path !== GENERATED });
    }
    const install = [npm, 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
    run('npm ci', install, { cwd: temporaryFolder });
    run('The build', [join('scripts', 'build.mjs')], { cwd: temporaryFolder });
    replaceDist((folder) => cpSync(join(temporaryFolder, 'dist'), folder, { recursive: true }));
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw new BuildError(`A build in ${tmpdir()} failed: ${error.message}`);
  } finally {
    if (temporaryFolder) rmSync(temporaryFolder, { recursive: true, force: true });
  }
}

/** Writes openapi.json to the final `dist`, because the built server reads package.json from the folder above `dist`. */
function writeOpenApi(dist) {
  run('Writing the OpenAPI document', [join(ROOT, 'scripts', 'lib', 'write-openapi.mjs'), dist]);
}

/** Copies only the script of the API reference, because its whole package takes 20 MB. */
function copyApiReference(folder) {
  const main = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(dirname(main), 'js', 'standalone.js'), join(folder, 'scalar.js'));
  copyFileSync(join(dirname(main), '..', 'LICENSE'), join(folder, 'LICENSE'));
}

function findTool(name, binary) {
  const manifest = findManifest(name);
  if (manifest) return join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin[binary]);
  throw new BuildError(
    'dist is missing or out of date, and the development dependencies that a build needs are not installed. Run: npm ci (or npm ci --omit=dev)',
  );
}

function findManifest(name) {
  try {
    return createRequire(import.meta.url).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

function run(name, args, { env = {}, cwd = ROOT } = {}) {
  const { status, error, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw new BuildError(`${name} failed: ${error.message}`);
  if (status !== 0) throw new BuildError(`${name} failed:\n${stdout}${stderr}`);
}

function checkNodeVersion() {
  const minimum = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const isTooOld = process.versions.node.localeCompare(minimum, 'en', { numeric: true }) < 0;
  if (isTooOld) throw new BuildError(`Heliograph needs Node.js ${minimum} or later. This is ${process.versions.node}.`);
}
