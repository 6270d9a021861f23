import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLockFile } from '../../machine/file-lock.js';
import { readIfThere } from '../cluster/files.js';
import { OWNER, POINTER, SYSTEM_FOLDER } from '../cluster/places.js';
import { hasCode } from '../errors.js';
import { isPostmasterOf, readPostmaster } from '../server/postmaster.js';
import { CLUSTER_LOCK } from './claim.js';

/** Where root keeps the clusters of folders that the user of PostgreSQL cannot enter. */
export const CLUSTERS_FOLDER = join(SYSTEM_FOLDER, 'data');

/** A cluster outside DATA_DIR that no DATA_DIR leads to any more. */
export interface OrphanCluster {
  /** Absolute. */
  folder: string;
  /** Which DATA_DIR led to it; null where it does not say. */
  dataDir: string | null;
  bytes: number;
  /** When its PostgreSQL last wrote a checkpoint. */
  lastUsedAt: Date;
  /** The process of the PostgreSQL that runs on it; null where none does. */
  pid: number | null;
}

/**
 * Finds clusters whose DATA_DIR was removed, or was made anew. A DATA_DIR on a disk that is not mounted looks like a removed
 * one. Only root, who makes them, may look into them; everybody else finds none.
 * @param clusters the folder of the clusters, unless a test tells another
 */
export async function findOrphans(clusters = CLUSTERS_FOLDER): Promise<OrphanCluster[]> {
  const found = await Promise.all((await namesIn(clusters)).map((name) => asOrphan(join(clusters, name))));
  return found.filter((each) => each !== null);
}

/**
 * Deletes orphaned clusters for good.
 * @param folders as `findOrphans` gives them
 * @returns what it deleted
 * @throws when one of them is no orphan or a PostgreSQL runs on it; unless that runs in another container, before anything is
 *   deleted
 */
export async function removeOrphans(folders: readonly string[], clusters = CLUSTERS_FOLDER): Promise<OrphanCluster[]> {
  const orphans = await findOrphans(clusters);
  const chosen = folders.map((folder) => {
    const orphan = orphans.find((each) => each.folder === folder);
    if (!orphan) throw new Error(`${folder} is no orphaned cluster: "heliograph store orphans" lists them.`);
    if (orphan.pid !== null) {
      throw new Error(
        `PostgreSQL runs on ${folder}: stop its server, or end it with "kill -INT ${orphan.pid}", first.`,
      );
    }
    return orphan;
  });
  for (const { folder } of chosen) {
    const lock = await tryLockFile(join(folder, CLUSTER_LOCK));
    if (!lock) throw new Error(`PostgreSQL runs on ${folder} in another container: stop that first.`);
    await rm(folder, { recursive: true }).finally(() => lock.release());
  }
  return chosen;
}

async function asOrphan(folder: string): Promise<OrphanCluster | null> {
  try {
    const { mtime: lastUsedAt } = await stat(join(folder, 'global', 'pg_control'));
    const dataDir = (await readIfThere(join(folder, OWNER)))?.trim() ?? null;
    if (dataDir && (await readIfThere(join(dataDir, POINTER)))?.trim() === folder) return null;
    const server = await readPostmaster(folder);
    const pid = server !== null && (await isPostmasterOf(server.pid, folder)) ? server.pid : null;
    return { folder, dataDir, bytes: await bytesIn(folder), lastUsedAt, pid };
  } catch (error) {
    // No cluster, one that was removed meanwhile, or one that this user may not look into.
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return null;
    throw error;
  }
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return [];
    throw error;
  }
}
