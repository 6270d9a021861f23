import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.mjs';

const MEBIBYTE = 1024 * 1024;
/** Size of the disk, which must have room for the data of a run. */
const SIZE_MIB = Math.min(4_096, Math.max(1_024, Math.floor(totalmem() / MEBIBYTE / 8)));
const CHUNK = Buffer.alloc(4 * MEBIBYTE);

/** Tries to mount a disk, which usually only root on Linux may do. */
export function canMount(folder) {
  if (process.platform !== 'linux' || process.getuid() !== 0) return false;
  const disk = new SmallDisk(folder);
  if (!disk.mount()) return false;
  disk.unmount();
  return true;
}

/** A disk in memory, which can be filled. */
export class SmallDisk {
  path;
  #unregister;

  constructor(folder) {
    this.path = join(folder, 'disk');
  }

  /** Returns whether this process may mount a disk. */
  mount() {
    mkdirSync(this.path, { recursive: true });
    const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'tmpfs', this.path]).status === 0;
    if (isMounted) this.#unregister = atExit(() => this.unmount());
    return isMounted;
  }

  fill() {
    for (let index = 0; ; index += 1) {
      try {
        writeFileSync(join(this.path, `filler-${index}`), CHUNK);
      } catch (error) {
        if (error.code === 'ENOSPC') return;
        throw error;
      }
    }
  }

  makeRoom() {
    for (let index = 0; removeIfExists(join(this.path, `filler-${index}`)); index += 1);
  }

  unmount() {
    spawnSync('umount', ['-l', this.path]);
    this.#unregister?.();
  }
}

function removeIfExists(path) {
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}
