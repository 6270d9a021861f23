import { realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** PostgreSQL stops if it cannot create the next WAL segment. That is 16 MiB, unless set otherwise in initdb. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;
const MEGABYTE = 1_000_000;
/** PostgreSQL's messages for ENOSPC and EDQUOT. They are always English, see `buildServerEnvironment`. */
const FULL = /No space left on device|Disk quota exceeded/;

/** A disk with too little space for PostgreSQL. */
export interface FullDisk {
  /** A folder on the disk. */
  folder: string;
  /** In bytes, for users other than root. */
  free: number;
  size: number;
}

/**
 * Finds a disk of a cluster without room for the next WAL segment: the disk of its data, or of its WAL if `pg_wal` is a
 * link. A disk that cannot be examined is ignored.
 */
export async function findFullDisk(data: string): Promise<FullDisk | null> {
  for (const folder of [data, join(data, 'pg_wal')]) {
    const disk = await examine(folder).catch(() => null);
    if (disk && disk.free < WAL_SEGMENT_BYTES) return disk;
  }
  return null;
}

/** Returns whether PostgreSQL's log reports a full disk or an exhausted quota. */
export function reportsFullDisk(log: string): boolean {
  return FULL.test(log);
}

/** Returns a phrase for the operator, such as "the disk of /data/postgres is full (3 MB of 512 MB are free)". */
export function describeFullDisk({ folder, free, size }: FullDisk): string {
  return `the disk of ${folder} is full (${megabytes(free)} of ${megabytes(size)} are free)`;
}

async function examine(folder: string): Promise<FullDisk> {
  const path = await realpath(folder);
  const { bavail, blocks, bsize } = await statfs(path);
  return { folder: path, free: bavail * bsize, size: blocks * bsize };
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / MEGABYTE)} MB`;
}
