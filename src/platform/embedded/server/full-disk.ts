import { realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** PostgreSQL stops when it cannot make the next WAL segment, which is 16 MiB unless initdb was told otherwise. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;
const MEGABYTE = 1_000_000;
/** What PostgreSQL writes for ENOSPC and for a quota (EDQUOT). Its messages are in English: serverEnvironment. */
const FULL = /No space left on device|Disk quota exceeded/;

/** A disk without room for PostgreSQL to work. */
export interface FullDisk {
  /** A folder on it. */
  folder: string;
  /** In bytes, for users other than root. */
  free: number;
  size: number;
}

/**
 * Finds a disk of a cluster that has no room for the next WAL segment: that of its data, or of its WAL where `pg_wal` is a
 * link. A disk that cannot be examined is not reported.
 */
export async function findFullDisk(data: string): Promise<FullDisk | null> {
  for (const folder of [data, join(data, 'pg_wal')]) {
    const disk = await examine(folder).catch(() => null);
    if (disk && disk.free < WAL_SEGMENT_BYTES) return disk;
  }
  return null;
}

/** Whether PostgreSQL's log says that its disk, or a quota, is used up. */
export function saysDiskIsFull(log: string): boolean {
  return FULL.test(log);
}

/** For the operator, such as "the disk of /data/postgres is full (3 MB of 512 MB are free)". */
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
