import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Processor times are available only on Linux (proc(5)). */
const isAvailable = existsSync('/proc/self/stat');
const ticksPerSecond = isAvailable ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : 1;

/**
 * Reads the total processor seconds of a process and all of its children, including children that have ended.
 * @param {number} pid
 * @returns {number | null}
 */
export function readProcessorSeconds(pid) {
  if (!isAvailable) return null;
  const root = readStat(pid);
  if (root === null) return null;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === pid);
  const ticks = children.reduce((sum, child) => sum + child.ticks, root.ticks + root.endedTicks);
  return ticks / ticksPerSecond;
}

/**
 * Reads the processor seconds of a process and of each of its children, by process name.
 * @param {number} pid
 * @returns {Record<string, number>}
 */
export function readProcessTimes(pid) {
  if (!isAvailable) return {};
  const ticksByName = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readStat(Number(name));
      return stat && (Number(name) === pid || stat.parent === pid) ? [[getProcessName(name, pid), stat.ticks]] : [];
    });
  return Object.fromEntries(ticksByName.map(([name, ticks]) => [name, ticks / ticksPerSecond]));
}

function getProcessName(name, pid) {
  if (Number(name) === pid) return 'first';
  const [line] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
  return line.replace('heliograph ', '');
}

function readStat(pid) {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // In /proc/PID/stat, these fields follow the program name, which is in parentheses and may itself contain spaces and
    // parentheses.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((index) => Number(fields[index]));
    return { parent, ticks: user + system, endedTicks: endedUser + endedSystem };
  } catch {
    return null;
  }
}
