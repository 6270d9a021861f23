import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** More would be more connections than one PostgreSQL is of use for. */
const MAX_PROCESSES = 64;

/** The number of processes that PROCESSES names; null when it is none of the allowed forms. */
export function parseProcesses(text: string): number | 'auto' | null {
  if (text === 'auto') return text;
  return /^[1-9]\d?$/.test(text) && Number(text) <= MAX_PROCESSES ? Number(text) : null;
}

/** What a control group may use: microseconds of a period, and the period; `max` for no limit. */
const QUOTA_FILE = '/sys/fs/cgroup/cpu.max';

/**
 * Cores that this process may use: those that it may run on, and no more than its control group is given time for, which
 * Node.js 20 does not ask for.
 * @param quota text of `cpu.max`; null where there is none
 */
export function availableCores(quota = readQuota(), cores = availableParallelism()): number {
  const [time, period] = (quota ?? '').trim().split(' ').map(Number);
  const given = Number(time) / Number(period);
  return Math.min(MAX_PROCESSES, Math.max(1, Number.isFinite(given) ? Math.min(cores, Math.ceil(given)) : cores));
}

function readQuota(): string | null {
  try {
    return readFileSync(QUOTA_FILE, 'utf8');
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
