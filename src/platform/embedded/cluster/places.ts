import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { StartError } from '../../errors/start-error.js';
import { withProcessAdvice } from '../errors.js';
import { run, type ServerUser } from '../server/run.js';
import { completeLinks, copyBinaries, findBinaryPackage, tryBinaries } from './binaries.js';
import { makeCluster } from './cluster.js';
import { exists, makeFolder, readIfThere, writeOnce } from './files.js';

/** Where root puts what the user of PostgreSQL cannot reach elsewhere. */
export const SYSTEM_FOLDER = '/var/lib/heliograph';

/** The file in a cluster elsewhere that names its DATA_DIR. */
export const OWNER = 'heliograph-data-folder';

/** The file in DATA_DIR that names a cluster elsewhere. */
export const POINTER = 'postgres-folder';

export interface Places {
  /** Holds `bin`, `lib` and `share`. */
  binaries: string;
  /** A cluster. */
  data: string;
}

/** Where the cluster of a DATA_DIR is, or would be: within it, unless a file in it names another place. */
export async function locateCluster(dataDir: string): Promise<{ data: string; elsewhere: boolean }> {
  const elsewhere = (await readIfThere(join(dataDir, POINTER)))?.trim();
  return elsewhere ? { data: elsewhere, elsewhere: true } : { data: join(dataDir, 'postgres'), elsewhere: false };
}

/** Whether a first start has made a cluster for this DATA_DIR. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  const { data, elsewhere } = await locateCluster(dataDir);
  return elsewhere || (await exists(data));
}

/**
 * Finds binaries that the server's user can run and the cluster of this DATA_DIR, which is made where there is none.
 * The cluster is `DATA_DIR/postgres`, or elsewhere when that user cannot enter DATA_DIR: then a file in DATA_DIR names
 * the place, so that a DATA_DIR deleted and made anew begins with a fresh cluster. No folder's mode is ever changed.
 * @throws with a sentence for the operator, when either cannot be had
 */
export async function findPlaces(options: {
  dataDir: string;
  password: string;
  user: ServerUser | null;
  log: Logger;
}): Promise<Places> {
  const { dataDir, user, log } = options;
  const binaries = await findBinaries(dataDir, user);

  const { data: home, elsewhere } = await locateCluster(dataDir);
  if (elsewhere) {
    await expectCluster(home, user, `The file ${join(dataDir, POINTER)} says that the data is there.`);
    await noteOwner(home, dataDir);
    return { binaries, data: home };
  }
  if (await readIfThere(join(home, 'PG_VERSION'))) {
    await expectCluster(home, user, 'Open the way for that user, or move DATA_DIR to a folder that it can enter.');
    return { binaries, data: home };
  }
  if (!user || (await canWork(dataDir, user))) {
    await makeCluster({ ...options, binaries, data: home });
    return { binaries, data: home };
  }
  const clusters = join(SYSTEM_FOLDER, 'data');
  await makeFolder(clusters);
  const data = join(clusters, randomBytes(8).toString('hex'));
  await makeCluster({ ...options, binaries, data });
  await noteOwner(data, dataDir);
  const chosen = (await writeOnce(join(dataDir, POINTER), `${data}\n`)).trim();
  if (chosen !== data) await rm(data, { recursive: true, force: true });
  log.info(`PostgreSQL runs as user ${user.name}, who cannot enter ${dataDir}: it keeps the data in ${chosen}`);
  return { binaries, data: chosen };
}

/** At each start, for DATA_DIR may have been moved. */
async function noteOwner(data: string, dataDir: string): Promise<void> {
  const file = join(data, OWNER);
  // It may be another user's, who started this before; the folder is ours.
  await rm(file, { force: true });
  await writeFile(file, `${dataDir}\n`, { mode: 0o644 });
}

async function findBinaries(dataDir: string, user: ServerUser | null): Promise<string> {
  const { folder, version } = await findBinaryPackage();
  const linked = await completeLinks(folder);
  const first = linked ? await tryBinaries(folder, user) : null;
  if (first?.code === 0) return folder;
  if (first && !user) {
    throw new StartError(
      withProcessAdvice(`The embedded PostgreSQL in ${folder} does not run: ${first.stderr.trim()}`),
    );
  }

  const copy = join(user ? SYSTEM_FOLDER : dataDir, `postgresql-${version}`);
  await copyBinaries(folder, copy);
  const second = await tryBinaries(copy, user);
  if (second.code === 0) return copy;
  throw new StartError(
    withProcessAdvice(`The embedded PostgreSQL runs neither in ${folder} nor in ${copy}: ${second.stderr.trim()}`),
  );
}

/** Whether the user can work in a folder of its own below this one: really tried. */
async function canWork(folder: string, user: ServerUser): Promise<boolean> {
  const probe = await mkdtemp(join(folder, '.probe-'));
  try {
    await chown(probe, user.uid, user.gid);
    const { code } = await run('/bin/sh', ['-c', 'echo > "$0/file"', probe], user);
    return code === 0;
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

async function expectCluster(data: string, user: ServerUser | null, advice: string): Promise<void> {
  const { code, stderr } = await run('/bin/sh', ['-c', 'cat "$0/PG_VERSION"', data], user);
  if (code === 0) return;
  const who = user ? `user ${user.name}` : 'this user';
  throw new StartError(`PostgreSQL's data in ${data} cannot be read by ${who} (${stderr.trim()}). ${advice}`);
}
