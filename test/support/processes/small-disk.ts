import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { SMALL_DISK_SUITE } from '../run/provided.js';

export interface SmallDisk {
  path: string;
  /** Leaves no byte free. */
  fill(): void;
  makeRoom(): void;
  unmount(): void;
}

/** Skips and reports the suite if this process may not mount file systems. */
export function describeSmallDisk(name: string, suite: () => void): void {
  describe.skipIf(!canMount())(`${name} ${SMALL_DISK_SUITE}`, suite);
}

/**
 * Mounts a file system in memory, with a size such as "1m", that other users may enter.
 */
export function mountSmallDisk(size: string): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'heliograph-disk-'));
  if (!mount(path, size)) throw new Error(`a file system could not be mounted at ${path}`);
  chmodSync(path, 0o755);
  const filler = join(path, 'filler');
  return {
    path,
    fill() {
      const file = openSync(filler, 'a');
      try {
        // Smaller blocks fill the remaining space that is too small for a large block.
        for (const bytes of [1024 * 1024, 4096, 1]) writeUntilFull(file, Buffer.alloc(bytes));
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    unmount() {
      spawnSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const path = mkdtempSync(join(tmpdir(), 'heliograph-disk-'));
  const isMounted = mount(path, '1m');
  if (isMounted) spawnSync('umount', [path]);
  rmSync(path, { recursive: true, force: true });
  return isMounted;
}

function mount(path: string, size: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]).status === 0;
}
