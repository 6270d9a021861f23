import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLockFile } from '../../machine/file-lock.js';
import { readIfExists } from '../cluster/files.js';
import { OWNER_FILE, POINTER_FILE, SYSTEM_FOLDER } from '../cluster/prepare-cluster.js';
import { hasCode } from '../errors.js';
import { CLUSTER_LOCK } from './ownership.js';
import { isPostmasterFor, readPostmaster } from './postmaster.js';

/** Folder for clusters whose DATA_DIR the PostgreSQL user cannot enter. */
export const CLUSTERS_FOLDER = join(SYSTEM_FOLDER, 'data');

/** A cluster that no DATA_DIR refers to any more. */
export interface OrphanCluster {
  folder: string;
  dataDir: string | null;
  bytes: number;
  /** Last checkpoint. */
  lastUsedAt: Date;
  pid: number | null;
}

/** Finds clusters whose DATA_DIR was removed, recreated or unmounted. Users other than root get an empty list. */
export async function findOrphans(clusters = CLUSTERS_FOLDER): Promise<OrphanCluster[]> {
  const candidates = await Promise.all(
    (await listEntries(clusters)).map((name) => inspectCluster(join(clusters, name))),
  );
  return candidates.filter((candidate) => candidate !== null);
}

/**
 * Throws before any deletion if a folder is not an orphaned cluster or if PostgreSQL is running on the cluster. A PostgreSQL in
 * another container is detected only after the preceding folders have been deleted.
 */
export async function removeOrphans(folders: readonly string[], clusters = CLUSTERS_FOLDER): Promise<OrphanCluster[]> {
  const orphans = await findOrphans(clusters);
  const chosenOrphans = folders.map((folder) => {
    const orphan = orphans.find((candidate) => candidate.folder === folder);
    if (!orphan) throw new Error(`${folder} is not an orphaned cluster. List those with "heliograph store orphans".`);
    if (orphan.pid !== null) {
      throw new Error(
        `PostgreSQL runs on ${folder}. First stop its server, or PostgreSQL with "kill -INT ${orphan.pid}".`,
      );
    }
    return orphan;
  });
  for (const { folder } of chosenOrphans) {
    const lock = await tryLockFile(join(folder, CLUSTER_LOCK));
    if (!lock) throw new Error(`PostgreSQL runs on ${folder} in another container. Stop that container first.`);
    await rm(folder, { recursive: true }).finally(() => lock.release());
  }
  return chosenOrphans;
}

async function inspectCluster(folder: string): Promise<OrphanCluster | null> {
  try {
    const { mtime: lastUsedAt } = await stat(join(folder, 'global', 'pg_control'));
    const dataDir = (await readIfExists(join(folder, OWNER_FILE)))?.trim() ?? null;
    if (dataDir && (await readIfExists(join(dataDir, POINTER_FILE)))?.trim() === folder) return null;
    const server = await readPostmaster(folder);
    const pid = server !== null && (await isPostmasterFor(server.pid, folder)) ? server.pid : null;
    return { folder, dataDir, bytes: await sumFileSizes(folder), lastUsedAt, pid };
  } catch (error) {
    // The folder is not a cluster, has been removed in the meantime, or is not readable for this user.
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return null;
    throw error;
  }
}

async function sumFileSizes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

async function listEntries(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return [];
    throw error;
  }
}
