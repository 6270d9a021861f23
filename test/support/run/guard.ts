import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openFolder } from '../open-folder.js';
import { fastestTemporaryFolder } from './machine.js';

const GUARDIAN = fileURLToPath(new URL('./guardian.mjs', import.meta.url));

/** A run of the tests that leaves nothing behind, even when it is killed. */
export interface GuardedRun {
  /** For what all tests share; other users may enter it. */
  folder: string;
  /** Says that everything was ended in order, and removes the folder. */
  over(): void;
}

/**
 * Marks this process and all that it starts from now on, and has a process of its own watch over them: once this one is
 * gone, however it went, that ends what is left of them and removes the folder (see guardian.mjs).
 */
export function guardRun(): GuardedRun {
  const folder = openFolder('heliograph-run-', fastestTemporaryFolder());
  const unmarked = process.env.PATH;
  // In a session of its own, so that neither Ctrl-C nor the end of a terminal reaches it; and without the mark.
  const guardian = spawn(process.execPath, [GUARDIAN, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  guardian.unref();
  process.env.PATH = [unmarked, folder].filter(Boolean).join(delimiter);
  const over = () => {
    process.env.PATH = unmarked;
    guardian.stdin.end('over');
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, over };
}
