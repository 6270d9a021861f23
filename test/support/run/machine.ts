import { statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';

const GIB = 1024 ** 3;
/** Memory that one test process needs with its applications and their PostgreSQL connections. */
const WORKER_BYTES = 1.2 * GIB;
/** More than this only wait for PostgreSQL, which all of them share. */
const MOST_WORKERS = 10;
/** A memory file system must have this much room, and the machine this much free memory, to hold the run's PostgreSQL. */
const MEMORY_FOLDER_BYTES = 4 * GIB;
const MEMORY_FOLDER = '/dev/shm';
/** `f_type` of a tmpfs (statfs(2)). */
const TMPFS = 0x0102_1994;

/**
 * How many test processes to run at once on this machine.
 * @param perCore how many share one core: tests that mostly wait for something leave it to others
 */
export function countWorkers(perCore: number): number {
  const byCores = Math.round(availableParallelism() * perCore);
  const byMemory = Math.floor(process.availableMemory() / WORKER_BYTES);
  return Math.max(1, Math.min(byCores, byMemory, MOST_WORKERS));
}

/**
 * The folder for the run's temporary files: in memory where there is room. Creating a database means creating some hundred
 * files, which takes ten times the processor time on ext4.
 */
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
