// node guardian.mjs FOLDER
//
// Outlives a run of the tests that was killed, and ends what it left: its standard input closes with the run, and unless
// the run has said before that it is over, every process that carries the run's mark is ended, and the run's folder goes.
// The mark is the folder at the end of PATH, which every process that a test starts is given, PostgreSQL's too. Redis writes
// its title over its environment, so it is known by working in that folder, as are others that do.
// Where there is no /proc (macOS) nothing can be found by its mark, and only the folder goes.
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: node guardian.mjs FOLDER');
/** As the system names it. */
const place = realpathSync(folder);

/** How often it looks whether something is left that a killed process had just begun. */
const LOOKS = 50;
const LOOK_MS = 100;

/** The processes of the run that live, and what they are called. */
function ofTheRun() {
  return pids().flatMap((pid) => {
    try {
      if (!isMarked(pid) && !worksInFolder(pid)) return [];
      return [{ pid, name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() }];
    } catch {
      // It has ended meanwhile, or is another user's.
      return [];
    }
  });
}

function isMarked(pid) {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const path = environment.find((each) => each.startsWith('PATH='));
  return path?.split(/[=:]/).includes(folder) ?? false;
}

function worksInFolder(pid) {
  return join(readlinkSync(`/proc/${pid}/cwd`), sep).startsWith(join(place, sep));
}

function pids() {
  try {
    const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return numbers.map(Number).filter((pid) => pid !== process.pid);
  } catch {
    return [];
  }
}

function end({ pid, name }) {
  try {
    // PostgreSQL gives its shared memory back at this signal, and asks nobody.
    process.kill(pid, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

let said = '';
for await (const chunk of process.stdin) said += chunk;
if (!said.includes('over')) {
  for (let look = 0; look < LOOKS; look += 1) {
    const left = ofTheRun();
    if (left.length === 0) break;
    left.forEach(end);
    await pause(LOOK_MS);
  }
  rmSync(folder, { recursive: true, force: true });
}
