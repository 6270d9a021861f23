import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Processor time is read where Linux writes it down (proc(5)); elsewhere it is not told. */
const isTold = existsSync('/proc/self/stat');
const ticksPerSecond = isTold ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : 1;

/**
 * Seconds of the processors that a process has taken, with those of its children: that live, and that have ended.
 * @param {number} pid
 * @returns {number | null} null where it is not told
 */
export function processorSeconds(pid) {
  if (!isTold) return null;
  const own = read(pid);
  if (own === null) return null;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => read(Number(name)))
    .filter((each) => each?.parent === pid);
  const ticks = children.reduce((sum, child) => sum + child.ticks, own.ticks + own.ticksOfEnded);
  return ticks / ticksPerSecond;
}

/**
 * The same of a process and each of its children alone, by what they call themselves.
 * @param {number} pid
 * @returns {Record<string, number>} empty where it is not told
 */
export function secondsOfEach(pid) {
  if (!isTold) return {};
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const found = read(Number(name));
      return found && (Number(name) === pid || found.parent === pid) ? [[nameOf(name, pid), found.ticks]] : [];
    });
  return Object.fromEntries(all.map(([name, ticks]) => [name, ticks / ticksPerSecond]));
}

function nameOf(name, pid) {
  if (Number(name) === pid) return 'first';
  const [line] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
  return line.replace('heliograph ', '');
}

function read(pid) {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name of the program, which may have spaces and brackets of its own.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [parent, user, system, userOfEnded, systemOfEnded] = [1, 11, 12, 13, 14].map((index) =>
      Number(fields[index]),
    );
    return { parent, ticks: user + system, ticksOfEnded: userOfEnded + systemOfEnded };
  } catch {
    return null;
  }
}
