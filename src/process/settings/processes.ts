import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** A higher number of processes would need more connections than one PostgreSQL handles well. */
const MAX_PROCESSES = 64;

export function parseProcesses(text: string): number | 'auto' | null {
  if (text === 'auto') return text;
  return /^[1-9]\d?$/.test(text) && Number(text) <= MAX_PROCESSES ? Number(text) : null;
}

const CGROUP_ROOT = '/sys/fs/cgroup';
/** Linux lists one control group per line: `0::/path` in version 2, `3:cpu,cpuacct:/path` in version 1. */
const OWN_CGROUPS = '/proc/self/cgroup';

/**
 * Counts cores up to the CPU quotas of control groups, which Node.js 20 ignores. Quotas have the format of `cpu.max`:
 * `<microseconds or max> <period>`.
 */
export function availableCores(quotas: readonly string[] = readQuotas(), cores = availableParallelism()): number {
  const quotaCores = quotas.map((quota) => {
    const [time, period] = quota.trim().split(' ').map(Number);
    return Math.ceil(Number(time) / Number(period));
  });
  const limits = quotaCores.filter((limit) => Number.isFinite(limit) && limit > 0);
  return Math.min(MAX_PROCESSES, Math.max(1, Math.min(cores, ...limits)));
}

export function readQuotas(read: (path: string) => string | null = readText): string[] {
  const quotas: string[] = [];
  const addQuota = (quota: string | null) => {
    if (quota !== null) quotas.push(quota);
  };
  for (const line of (read(OWN_CGROUPS) ?? '0::/').trim().split('\n')) {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const isVersion1 = controllers.split(',').includes('cpu');
    if (controllers !== '' && !isVersion1) continue;
    for (const group of withParents(path)) {
      if (!isVersion1) addQuota(read(`${CGROUP_ROOT}${group}/cpu.max`));
      else {
        const [time, period] = ['quota', 'period'].map((name) => read(`${CGROUP_ROOT}/cpu${group}/cpu.cfs_${name}_us`));
        if (time && period) addQuota(`${time.trim()} ${period.trim()}`);
      }
    }
  }
  return quotas;
}

/** For `/a/b`, returns `/a/b`, `/a` and an empty text for the root, which in a container is the container's group. */
function withParents(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '..');
  return Array.from({ length: names.length + 1 }, (_, levelsUp) =>
    names
      .slice(0, names.length - levelsUp)
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

export function processProblems({ role, total, sending }: ProcessNumbers): { setting: string; problem: string }[] {
  if (role !== 'all' || total === 1 || sending < total) return [];
  const problem = `must be less than PROCESSES (${total}), because at least one process must serve requests`;
  return [{ setting: 'SENDING_PROCESSES', problem }];
}

interface ProcessNumbers {
  role: 'all' | 'api' | 'worker';
  total: number;
  sending: number;
}
