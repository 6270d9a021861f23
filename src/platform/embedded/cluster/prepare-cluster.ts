import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { StartError } from '../../errors/start-error.js';
import { withProcessAdvice } from '../errors.js';
import { run, type ServerUser } from '../run.js';
import { completeLinks, copyBinaries, findBinaryPackage, tryBinaries } from './binaries.js';
import { createCluster } from './cluster.js';
import { createFolder, exists, readIfExists, writeOnce } from './files.js';

/** Folder for the cluster and PostgreSQL's binaries if the PostgreSQL user cannot reach them elsewhere. */
export const SYSTEM_FOLDER = '/var/lib/heliograph';

/** File in the cluster that contains the path of its DATA_DIR. */
export const OWNER_FILE = 'heliograph-data-folder';

/** File in DATA_DIR that contains the path of a cluster elsewhere. */
export const POINTER_FILE = 'postgres-folder';

export interface ClusterFolders {
  binaries: string;
  data: string;
}

/** The cluster is inside DATA_DIR unless a pointer file names another folder. */
export async function locateCluster(dataDir: string): Promise<{ data: string; isElsewhere: boolean }> {
  const pointer = (await readIfExists(join(dataDir, POINTER_FILE)))?.trim();
  return pointer ? { data: pointer, isElsewhere: true } : { data: join(dataDir, 'postgres'), isElsewhere: false };
}

export async function hasCluster(dataDir: string): Promise<boolean> {
  const { data, isElsewhere } = await locateCluster(dataDir);
  return isElsewhere || (await exists(data));
}

/**
 * Creates the cluster outside DATA_DIR if the PostgreSQL user cannot enter DATA_DIR. Existing folders keep their modes. Throws
 * a StartError if PostgreSQL's binaries or the cluster cannot be used.
 */
export async function prepareCluster(options: {
  dataDir: string;
  password: string;
  user: ServerUser | null;
  log: Logger;
}): Promise<ClusterFolders> {
  const { dataDir, user, log } = options;
  const binaries = await findBinaries(dataDir, user);

  const { data: currentFolder, isElsewhere } = await locateCluster(dataDir);
  if (isElsewhere) {
    await expectReadable(currentFolder, user, `The file ${join(dataDir, POINTER_FILE)} refers to this folder.`);
    await writeOwnerFile(currentFolder, dataDir);
    return { binaries, data: currentFolder };
  }
  if (await readIfExists(join(currentFolder, 'PG_VERSION'))) {
    await expectReadable(currentFolder, user, 'Give that user access, or move DATA_DIR to a folder that it can enter.');
    return { binaries, data: currentFolder };
  }
  if (!user || (await canWriteTo(dataDir, user))) {
    await createCluster({ ...options, binaries, data: currentFolder });
    return { binaries, data: currentFolder };
  }
  const clusters = join(SYSTEM_FOLDER, 'data');
  await createFolder(clusters);
  const data = join(clusters, randomBytes(8).toString('hex'));
  await createCluster({ ...options, binaries, data });
  await writeOwnerFile(data, dataDir);
  const chosenFolder = (await writeOnce(join(dataDir, POINTER_FILE), `${data}\n`)).trim();
  if (chosenFolder !== data) await rm(data, { recursive: true, force: true });
  log.info(`PostgreSQL runs as user ${user.name}, who cannot enter ${dataDir}. Its data is in ${chosenFolder}`);
  return { binaries, data: chosenFolder };
}

/** Rewrites the owner file at each start, because DATA_DIR may have been moved. */
async function writeOwnerFile(data: string, dataDir: string): Promise<void> {
  const file = join(data, OWNER_FILE);
  // Remove the file, because it may belong to another user and then cannot be overwritten.
  await rm(file, { force: true });
  await writeFile(file, `${dataDir}\n`, { mode: 0o644 });
}

async function findBinaries(dataDir: string, user: ServerUser | null): Promise<string> {
  const { folder, version } = await findBinaryPackage();
  const hasLinks = await completeLinks(folder);
  const packageCheck = hasLinks ? await tryBinaries(folder, user) : null;
  if (packageCheck?.code === 0) return folder;
  if (packageCheck && !user) {
    throw new StartError(
      withProcessAdvice(`Cannot run the embedded PostgreSQL in ${folder}: ${packageCheck.stderr.trim()}`),
    );
  }

  const copy = join(user ? SYSTEM_FOLDER : dataDir, `postgresql-${version}`);
  await copyBinaries(folder, copy);
  const copyCheck = await tryBinaries(copy, user);
  if (copyCheck.code === 0) return copy;
  throw new StartError(
    withProcessAdvice(`Cannot run the embedded PostgreSQL in ${folder} or in ${copy}: ${copyCheck.stderr.trim()}`),
  );
}

async function canWriteTo(folder: string, user: ServerUser): Promise<boolean> {
  const probe = await mkdtemp(join(folder, '.probe-'));
  try {
    await chown(probe, user.uid, user.gid);
    const { code } = await run('/bin/sh', ['-c', 'echo > "$0/file"', probe], user);
    return code === 0;
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

async function expectReadable(data: string, user: ServerUser | null, advice: string): Promise<void> {
  const { code, stderr } = await run('/bin/sh', ['-c', 'cat "$0/PG_VERSION"', data], user);
  if (code === 0) return;
  const userName = user ? `user ${user.name}` : 'this user';
  throw new StartError(`PostgreSQL's data in ${data} is not readable for ${userName} (${stderr.trim()}). ${advice}`);
}
