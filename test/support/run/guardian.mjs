// node guardian.mjs FOLDER
//
// Cleans up after a killed run. When its standard input closes before the run has reported a regular end, it kills every
// process with the run's mark and removes the run's folder. The mark is the folder at the end of PATH, which all child
// processes inherit. Redis overwrites its environment, so processes that work in the folder count too. Without /proc
// (macOS), only the folder is removed.
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: node guardian.mjs FOLDER');
/** The real path, as the system reports it. */
const realFolder = realpathSync(folder);

/** Number of rounds, because a killed process may just have started another one. */
const ROUNDS = 50;
const PAUSE_MS = 100;

function listRunProcesses() {
  return pids().flatMap((pid) => {
    try {
      if (!isMarked(pid) && !worksInFolder(pid)) return [];
      return [{ pid, name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() }];
    } catch {
      // The process has ended, or belongs to another user.
      return [];
    }
  });
}

function isMarked(pid) {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const path = environment.find((variable) => variable.startsWith('PATH='));
  return path?.split(/[=:]/).includes(folder) ?? false;
}

function worksInFolder(pid) {
  return join(readlinkSync(`/proc/${pid}/cwd`), sep).startsWith(join(realFolder, sep));
}

function pids() {
  try {
    const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return numbers.map(Number).filter((pid) => pid !== process.pid);
  } catch {
    return [];
  }
}

function kill({ pid, name }) {
  try {
    // At SIGQUIT, PostgreSQL frees its shared memory and stops at once.
    process.kill(pid, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

let input = '';
for await (const chunk of process.stdin) input += chunk;
if (!input.includes('finished')) {
  for (let round = 0; round < ROUNDS; round += 1) {
    const remaining = listRunProcesses();
    if (remaining.length === 0) break;
    remaining.forEach(kill);
    await pause(PAUSE_MS);
  }
  rmSync(folder, { recursive: true, force: true });
}
