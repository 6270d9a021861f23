import { ftruncateSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type FileLock, tryLockFile } from '../../machine/file-lock.js';
import { systemClock } from '../../system-clock.js';
import { readIfThere } from '../cluster/files.js';
import { AlreadyRunningError } from '../errors.js';

/** The file in DATA_DIR that the process which serves it holds locked. It says who that is, and is never deleted. */
export const LOCK_FILE = 'heliograph.lock';

/** What uses a data folder. */
export interface FolderUser {
  kind: 'server' | 'command';
  /** Where a server listens, if that is known before it does. */
  address?: string | undefined;
}

interface Holder extends FolderUser {
  /** The name of its machine. That of a container is the container's ID, unless it was given another. */
  host: string;
  /** Its number in its own container. */
  pid: number;
  /** ISO 8601. */
  startedAt: string;
}

/**
 * Locks DATA_DIR for this process, against every other one on the same file system: containers that share a volume see
 * neither each other's processes nor each other's shared memory, which PostgreSQL relies on.
 * @param dataDir exists
 * @throws {AlreadyRunningError} that names the other process
 */
export async function lockDataFolder(dataDir: string, user: FolderUser): Promise<FileLock> {
  const path = join(dataDir, LOCK_FILE);
  const lock = await tryLockFile(path, { owner: process.getuid?.() === 0 ? await stat(dataDir) : null });
  if (!lock) throw await alreadyRunning(dataDir);
  const { fd } = lock;
  const holder: Holder = { ...user, host: hostname(), pid: process.pid, startedAt: systemClock.now().toISOString() };
  ftruncateSync(fd);
  writeSync(fd, `${JSON.stringify(holder)}\n`, 0);
  const release = () => {
    ftruncateSync(fd);
    lock.release();
  };
  return { fd, release };
}

/** The error for a folder that another process has locked; it names that process. */
export async function alreadyRunning(dataDir: string): Promise<AlreadyRunningError> {
  const holder = await readHolder(dataDir);
  return new AlreadyRunningError(dataDir, holder && describe(holder));
}

/**
 * Who locked the folder last. After a process was killed, that is still the process.
 * @returns null where the file does not say
 */
export async function readHolder(dataDir: string): Promise<Holder | null> {
  try {
    return JSON.parse((await readIfThere(join(dataDir, LOCK_FILE))) ?? '') as Holder;
  } catch {
    return null;
  }
}

function describe({ kind, address, host, pid, startedAt }: Holder): string {
  return `a ${kind}${address ? ` at ${address}` : ''}, process ${pid} on host ${host}, since ${startedAt}`;
}
