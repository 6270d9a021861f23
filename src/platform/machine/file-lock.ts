import { closeSync, constants, fchownSync, openSync } from 'node:fs';
import { StartError } from '../errors/start-error.js';

/** The kernel releases a file lock when the last process that inherited its descriptor ends. */
export interface FileLock {
  readonly fd: number;
  /** A child process that inherited the descriptor still holds the lock after `release`. */
  release(): void;
}

/**
 * The lock works between containers that share the file system. Never delete the lock file, because a process that opened it
 * earlier would keep a lock that no other process sees. Root sets `owner`, because other users could not open a file that root
 * owns. Returns null if locked.
 */
export async function tryLockFile(
  path: string,
  { owner }: { owner?: { uid: number; gid: number } | null } = {},
): Promise<FileLock | null> {
  const tryLock = await loadTryLock();
  // Use a plain descriptor, because Node.js closes a FileHandle that is garbage-collected.
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  const release = () => closeSync(fd);
  try {
    if (owner) fchownSync(fd, owner.uid, owner.gid);
    if (tryLock(fd)) return { fd, release };
  } catch (error) {
    release();
    if (error instanceof Error && 'code' in error && (error.code === 'ENOLCK' || error.code === 'ENOTSUP')) {
      throw new StartError(
        `The file system of ${path} does not support locks, so two servers could use it at once. ` +
          'Set DATA_DIR to a folder on a local disk, or use your own PostgreSQL (DATABASE_URL).',
        { cause: error },
      );
    }
    throw error;
  }
  release();
  return null;
}

/** Loads the package on demand, because a server with DATABASE_URL must also run on platforms without its binary. */
async function loadTryLock(): Promise<(fd: number) => boolean> {
  try {
    return (await import('fs-native-extensions')).tryLock;
  } catch (cause) {
    throw new StartError(
      `Heliograph cannot lock files on ${process.platform}-${process.arch} with this C library, so it cannot run the embedded ` +
        'PostgreSQL. Set DATABASE_URL.',
      { cause },
    );
  }
}
