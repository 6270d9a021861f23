// node guardian.mjs FOLDER
//
// Cleans up after a killed test run. If standard input closes before the run reports that it has finished, the guardian kills
// all marked processes and removes the run's folder. Marked processes have the run's folder at the end of PATH, which child
// processes inherit. Processes that work in the run's folder are also killed, because Redis overwrites its environment and
// loses the mark. Without /proc (on macOS), the guardian only removes the run's folder.
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: node guardian.mjs FOLDER');
/** The folder's real path, which /proc reports for working folders. */
const realFolder = realpathSync(folder);

/** Killing takes several rounds, because a killed process may just have started another one. */
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
    // On SIGQUIT, PostgreSQL frees its shared memory and stops immediately.
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
