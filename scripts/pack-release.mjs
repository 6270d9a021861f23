// npm run pack:release -- COMMIT
//
// Packs the built server of a commit into test/upgrade/last-release.tar.gz, for the test that runs the last release together
// with this version. Run this script once after a release, with the tag of the release. The console, source maps, the OpenAPI
// document with its examples, and all packages are left out. Packing a commit again results in identical files.
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { exitWithUsage, parseCommandLine } from './lib/command-line.mjs';

const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = join(PROJECT, 'test', 'upgrade', 'last-release.tar.gz');
const MAX_BYTES = 1_000_000;

const {
  args: [commit],
} = parseCommandLine(import.meta.url, { maxArguments: 1 });
if (!commit) exitWithUsage(import.meta.url, 'COMMIT is missing.');
const git = (...args) => execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' }).trim();
const folder = mkdtempSync(join(tmpdir(), 'heliograph-release-'));
try {
  const [hash, date, subject] = git('log', '-1', '--format=%H%n%cI%n%s', commit).split('\n');
  execFileSync('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', hash, folder], { cwd: PROJECT });
  // The commit is built with the packages of this project.
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'inherit' });

  const archive = pack();
  const writing = pipeline(archive, createGzip({ level: 9 }), createWriteStream(TARGET));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const add = (name, content) => archive.entry({ name, mode: 0o644, mtime: new Date(0) }, content);
  add('release.json', `${JSON.stringify({ version, commit: hash, date, subject }, null, 2)}\n`);
  for (const path of listFiles()) add(relative(folder, path).replaceAll('\\', '/'), readFileSync(path));
  archive.finalize();
  await writing;
  reportSize();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function listFiles() {
  const listFolder = (name) =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const excluded =
    /\.map$|[\\/]dist[\\/](?:openapi\.json$|api-examples\.json$|console[\\/]|platform[\\/]generated[\\/]prisma[\\/]runtime[\\/])/;
  return [join(folder, 'package.json'), ...listFolder('dist'), ...listFolder('prisma')]
    .filter((path) => !excluded.test(path))
    .sort();
}

function reportSize() {
  const { size } = statSync(TARGET);
  console.log(`${relative(PROJECT, TARGET)}: ${size} bytes`);
  if (size > MAX_BYTES)
    throw new Error(`The archive is too large for the repository, which allows ${MAX_BYTES} bytes.`);
}
