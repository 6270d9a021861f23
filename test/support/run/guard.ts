import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openFolder } from '../open-folder.js';
import { fastestTemporaryFolder } from './machine.js';

const GUARDIAN = fileURLToPath(new URL('./guardian.mjs', import.meta.url));

/** A test run whose folder and processes are removed even if the run is killed. */
export interface GuardedRun {
  /** Folder that all tests share and other users may enter. */
  folder: string;
  finish(): void;
}

/** Marks this process and its children, so that guardian.mjs can clean up after them. */
export function guardRun(): GuardedRun {
  const folder = openFolder('heliograph-run-', fastestTemporaryFolder());
  const unmarked = process.env.PATH;
  // The guardian runs unmarked in its own session, so that neither Ctrl-C nor a closed terminal ends it.
  const guardian = spawn(process.execPath, [GUARDIAN, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  guardian.unref();
  process.env.PATH = [unmarked, folder].filter(Boolean).join(delimiter);
  const finish = () => {
    process.env.PATH = unmarked;
    guardian.stdin.end('finished');
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, finish };
}
