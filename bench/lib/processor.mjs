import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Processor times are available on Linux only (proc(5)). */
const isAvailable = existsSync('/proc/self/stat');
const ticksPerSecond = isAvailable ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : 1;

/**
 * Processor seconds of a process and all of its children, including those that have ended.
 * @param {number} pid
 * @returns {number | null} null if the system does not provide them
 */
export function processorSeconds(pid) {
  if (!isAvailable) return null;
  const root = read(pid);
  if (root === null) return null;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => read(Number(name)))
    .filter((each) => each?.parent === pid);
  const ticks = children.reduce((sum, child) => sum + child.ticks, root.ticks + root.ticksOfEnded);
  return ticks / ticksPerSecond;
}

/**
 * Processor seconds of a process and of each of its children, by process name.
 * @param {number} pid
 * @returns {Record<string, number>} empty if the system does not provide them
 */
export function secondsOfEach(pid) {
  if (!isAvailable) return {};
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(Number(name));
      return stat && (Number(name) === pid || stat.parent === pid) ? [[processName(name, pid), stat.ticks]] : [];
    });
  return Object.fromEntries(all.map(([name, ticks]) => [name, ticks / ticksPerSecond]));
}

function processName(name, pid) {
  if (Number(name) === pid) return 'first';
  const [line] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
  return line.replace('heliograph ', '');
}

function read(pid) {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The fields follow the program name, which may contain spaces and parentheses.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [parent, user, system, userOfEnded, systemOfEnded] = [1, 11, 12, 13, 14].map((index) =>
      Number(fields[index]),
    );
    return { parent, ticks: user + system, ticksOfEnded: userOfEnded + systemOfEnded };
  } catch {
    return null;
  }
}
