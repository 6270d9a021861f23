import { realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** PostgreSQL stops if it cannot create the next segment, which has this size by default. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;
const MEGABYTE = 1_000_000;
/** The messages are always in English, see `buildServerEnvironment`. */
const FULL = /No space left on device|Disk quota exceeded/;

export interface FullDisk {
  folder: string;
  /** In bytes, for users other than root. */
  free: number;
  size: number;
}

/** Also checks the WAL's disk if `pg_wal` is a link. */
export async function findFullDisk(data: string): Promise<FullDisk | null> {
  for (const folder of [data, join(data, 'pg_wal')]) {
    const disk = await examine(folder).catch(() => null);
    if (disk && disk.free < WAL_SEGMENT_BYTES) return disk;
  }
  return null;
}

export function reportsFullDisk(log: string): boolean {
  return FULL.test(log);
}

/** For example "the disk of /data/postgres is full (3 MB of 512 MB are free)". */
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
