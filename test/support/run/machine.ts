import { statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';

const GIB = 1024 ** 3;
/** Memory of one test process with its applications and PostgreSQL connections. */
const WORKER_BYTES = 1.2 * GIB;
/** More workers would only wait for the shared PostgreSQL. */
const MOST_WORKERS = 10;
/** Required free space of a memory file system, and required free memory, to use it for the run's PostgreSQL. */
const MEMORY_FOLDER_BYTES = 4 * GIB;
const MEMORY_FOLDER = '/dev/shm';
/** `f_type` of a tmpfs (statfs(2)). */
const TMPFS = 0x0102_1994;

/** @param perCore workers per core: tests that mostly wait can share one */
export function countWorkers(perCore: number): number {
  const byCores = Math.round(availableParallelism() * perCore);
  const byMemory = Math.floor(process.availableMemory() / WORKER_BYTES);
  return Math.max(1, Math.min(byCores, byMemory, MOST_WORKERS));
}

/** In memory if there is space: creating the many files of a database takes ten times the processor time on ext4. */
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
