import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** More would be more connections than one PostgreSQL is of use for. */
const MAX_PROCESSES = 64;

/** The number of processes that PROCESSES names; null when it is none of the allowed forms. */
export function parseProcesses(text: string): number | 'auto' | null {
  if (text === 'auto') return text;
  return /^[1-9]\d?$/.test(text) && Number(text) <= MAX_PROCESSES ? Number(text) : null;
}

/** Where control groups are. */
const GROUPS = '/sys/fs/cgroup';
/** The control group that a process is in, of each hierarchy: `0::/path` of version 2, `3:cpu,cpuacct:/path` of version 1. */
const OWN_GROUPS = '/proc/self/cgroup';

/**
 * Cores that this process may use: those that it may run on, and no more than its control groups are given time for, which
 * Node.js 20 does not ask for.
 * @param quotas of its control group and those that it is within, as `cpu.max` has them: microseconds of a period, or `max`, and
 *   the period
 */
export function availableCores(quotas: readonly string[] = readQuotas(), cores = availableParallelism()): number {
  const given = quotas.map((quota) => {
    const [time, period] = quota.trim().split(' ').map(Number);
    return Math.ceil(Number(time) / Number(period));
  });
  const limits = given.filter((each) => Number.isFinite(each) && each > 0);
  return Math.min(MAX_PROCESSES, Math.max(1, Math.min(cores, ...limits)));
}

/** @param read the text of a file, null where there is none */
export function readQuotas(read: (path: string) => string | null = readText): string[] {
  const quotas: string[] = [];
  const note = (quota: string | null) => {
    if (quota !== null) quotas.push(quota);
  };
  for (const line of (read(OWN_GROUPS) ?? '0::/').trim().split('\n')) {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const isFirst = controllers.split(',').includes('cpu');
    if (controllers !== '' && !isFirst) continue;
    for (const group of upwards(path)) {
      if (!isFirst) note(read(`${GROUPS}${group}/cpu.max`));
      else {
        const [time, period] = ['quota', 'period'].map((each) => read(`${GROUPS}/cpu${group}/cpu.cfs_${each}_us`));
        if (time && period) note(`${time.trim()} ${period.trim()}`);
      }
    }
  }
  return quotas;
}

/** `/a/b` is `/a/b`, `/a` and the root, which is empty: in a container that is the group of the container. */
function upwards(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '..');
  return Array.from({ length: names.length + 1 }, (_, above) =>
    names
      .slice(0, names.length - above)
      .map((name) => `/${name}`)
      .join(''),
  );
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** What is wrong with the two settings together. */
export function processProblems({ role, total, sending }: ProcessNumbers): { setting: string; problem: string }[] {
  if (role !== 'all' || total === 1 || sending < total) return [];
  const problem = `must be less than the ${total} of PROCESSES: at least one process serves requests`;
  return [{ setting: 'SENDING_PROCESSES', problem }];
}

interface ProcessNumbers {
  role: 'all' | 'api' | 'worker';
  /** PROCESSES. */
  total: number;
  /** SENDING_PROCESSES. */
  sending: number;
}
