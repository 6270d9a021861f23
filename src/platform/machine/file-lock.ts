import { closeSync, constants, fchownSync, openSync } from 'node:fs';
import { StartError } from '../errors/start-error.js';

/** A lock on a file. The kernel releases it when the last process that inherited `fd` ends, however it ends. */
export interface FileLock {
  /** Of the locked file, open for reading and writing. */
  readonly fd: number;
  /** Closes this process's descriptor: a child process that inherited it still holds the lock. */
  release(): void;
}

/**
 * Locks a file without waiting, and makes it (mode 0600) where it is missing. The lock belongs to the open file, not to a
 * process: it holds between containers and processes that cannot see each other, as long as they share the file system.
 * Never delete such a file: a process that opened it before would hold a lock on a file that no other process can find.
 * @param options.owner who owns the file afterwards; for root, who can use files that others own, but not the other way round
 * @returns null when it is locked already, by this process or another
 * @throws the operating system's error when the file cannot be opened
 */
export async function tryLockFile(
  path: string,
  { owner }: { owner?: { uid: number; gid: number } | null } = {},
): Promise<FileLock | null> {
  const tryLock = await loadTryLock();
  // A descriptor, not a FileHandle: that would be closed once it is collected as garbage.
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  const release = () => closeSync(fd);
  try {
    if (owner) fchownSync(fd, owner.uid, owner.gid);
    if (tryLock(fd)) return { fd, release };
  } catch (error) {
    release();
    if (error instanceof Error && 'code' in error && (error.code === 'ENOLCK' || error.code === 'ENOTSUP')) {
      throw new StartError(
        `The file system of ${path} has no locks, so nothing would keep two servers apart. ` +
          'Set DATA_DIR to a folder on a local disk, or use a PostgreSQL of your own (DATABASE_URL).',
        { cause: error },
      );
    }
    throw error;
  }
  release();
  return null;
}

/** Loaded when first needed: a server with DATABASE_URL also runs where the package has no binary. */
async function loadTryLock(): Promise<(fd: number) => boolean> {
  try {
    return (await import('fs-native-extensions')).tryLock;
  } catch (cause) {
    throw new StartError(
      `Files cannot be locked on ${process.platform}-${process.arch} with this C library, so there is no embedded ` +
        'PostgreSQL here: set DATABASE_URL.',
      { cause },
    );
  }
}
