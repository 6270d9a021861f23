import { ftruncateSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type FileLock, tryLockFile } from '../../machine/file-lock.js';
import { systemClock } from '../../system-clock.js';
import { readIfExists } from '../cluster/files.js';
import { AlreadyRunningError } from '../errors.js';

/** Lock file in DATA_DIR, which the process that uses the folder keeps locked and never deletes. */
export const LOCK_FILE = 'heliograph.lock';

export interface FolderUser {
  kind: 'server' | 'command';
  address?: string | undefined;
}

interface Holder extends FolderUser {
  /** Host name; in a container, usually the container ID. */
  host: string;
  /** Inside its own container. */
  pid: number;
  /** ISO 8601. */
  startedAt: string;
}

/**
 * Locks DATA_DIR against all other processes on the same file system, including processes in other containers. An
 * AlreadyRunningError names the process that already holds the lock. DATA_DIR must exist.
 */
export async function lockDataFolder(dataDir: string, user: FolderUser): Promise<FileLock> {
  const path = join(dataDir, LOCK_FILE);
  const lock = await tryLockFile(path, { owner: process.getuid?.() === 0 ? await stat(dataDir) : null });
  if (!lock) throw await createAlreadyRunningError(dataDir);
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

export async function createAlreadyRunningError(dataDir: string): Promise<AlreadyRunningError> {
  const holder = await readHolder(dataDir);
  return new AlreadyRunningError(dataDir, holder && describeHolder(holder));
}

/** Returns the process that last locked the folder, which may have ended in the meantime. */
export async function readHolder(dataDir: string): Promise<Holder | null> {
  try {
    return JSON.parse((await readIfExists(join(dataDir, LOCK_FILE))) ?? '') as Holder;
  } catch {
    return null;
  }
}

function describeHolder({ kind, address, host, pid, startedAt }: Holder): string {
  return `a ${kind}${address ? ` at ${address}` : ''}, process ${pid} on host ${host}, since ${startedAt}`;
}
