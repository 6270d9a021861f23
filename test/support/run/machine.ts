import { statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';

const GIB = 1024 ** 3;
/** Memory that one test process needs with its applications and PostgreSQL connections. */
const WORKER_BYTES = 1.2 * GIB;
/** More than ten workers would only wait for the shared PostgreSQL. */
const MOST_WORKERS = 10;
/** Free space that a file system in memory needs to hold the run's PostgreSQL. */
const MEMORY_FOLDER_BYTES = 4 * GIB;
const MEMORY_FOLDER = '/dev/shm';
/** Value of `f_type` for a tmpfs (statfs(2)). */
const TMPFS = 0x0102_1994;

/** @param perCore workers per core, more than one for tests that mostly wait */
export function countWorkers(perCore: number): number {
  const byCores = Math.round(availableParallelism() * perCore);
  const byMemory = Math.floor(process.availableMemory() / WORKER_BYTES);
  return Math.max(1, Math.min(byCores, byMemory, MOST_WORKERS));
}

/** Prefers a folder in memory, because creating a database's files takes ten times the processor time on ext4. */
export function fastestTemporaryFolder(): string {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY_FOLDER);
    const room = Math.min(bavail * bsize, process.availableMemory() / 2);
    if (type === TMPFS && room >= MEMORY_FOLDER_BYTES) return MEMORY_FOLDER;
  } catch {
    // Not Linux.
  }
  return tmpdir();
}
