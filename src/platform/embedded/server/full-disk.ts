import { realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** PostgreSQL stops if it cannot create the next WAL segment, which has 16 MiB by default. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;
const MEGABYTE = 1_000_000;
/** PostgreSQL's messages are always in English, because `buildServerEnvironment` sets the locale. */
const FULL_DISK_MESSAGE = /No space left on device|Disk quota exceeded/;

export interface FullDisk {
  folder: string;
  /** Bytes available to users other than root. */
  freeBytes: number;
  totalBytes: number;
}

/** Also checks the disk of the WAL if `pg_wal` is a link. */
export async function findFullDisk(data: string): Promise<FullDisk | null> {
  for (const folder of [data, join(data, 'pg_wal')]) {
    const disk = await measureDisk(folder).catch(() => null);
    if (disk && disk.freeBytes < WAL_SEGMENT_BYTES) return disk;
  }
  return null;
}

export function reportsFullDisk(log: string): boolean {
  return FULL_DISK_MESSAGE.test(log);
}

/** Returns a text such as "the disk of /data/postgres is full (3 MB of 512 MB are free)". */
export function describeFullDisk({ folder, freeBytes, totalBytes }: FullDisk): string {
  return `the disk of ${folder} is full (${formatMegabytes(freeBytes)} of ${formatMegabytes(totalBytes)} are free)`;
}

async function measureDisk(folder: string): Promise<FullDisk> {
  const path = await realpath(folder);
  const { bavail, blocks, bsize } = await statfs(path);
  return { folder: path, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function formatMegabytes(bytes: number): string {
  return `${Math.floor(bytes / MEGABYTE)} MB`;
}
