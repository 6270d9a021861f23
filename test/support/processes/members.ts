import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isAlive } from '../../../src/platform/embedded/ownership/postmaster.js';
import { waitFor } from '../wait-for.js';
import type { ServerProcess } from './server-process.js';

export interface MemberPid {
  pid: number;
  /** From 1. */
  number: number;
  role: 'api' | 'worker';
}

export async function listMembers({ process: { pid } }: Pick<ServerProcess, 'process'>): Promise<MemberPid[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  return stdout
    .split('\n')
    .flatMap((line) => {
      const [, ownPid, parent, number, role] = /^ *(\d+) +(\d+) heliograph (\d+)\/\d+ (api|worker)/.exec(line) ?? [];
      if (Number(parent) !== pid || !ownPid) return [];
      return { pid: Number(ownPid), number: Number(number), role: role as MemberPid['role'] };
    })
    .sort((a, b) => a.number - b.number);
}

/** Waits until another process has replaced the killed member and all members are ready. */
export async function waitForReplacement(server: ServerProcess, killed: MemberPid): Promise<void> {
  const isReplaced = async () => {
    const { ready, of } = await readProcessCounts(server);
    const members = await listMembers(server);
    return ready === of && members.length === of && !members.some(({ pid }) => pid === killed.pid);
  };
  await waitFor(`process ${killed.number} to be replaced`, isReplaced);
}

export async function readProcessCounts({ baseUrl }: ServerProcess): Promise<{ ready: number; of: number }> {
  const response = await fetch(`${baseUrl}/health/ready`, { headers: { connection: 'close' } });
  return ((await response.json()) as { processes: { ready: number; of: number } }).processes;
}

export async function waitForExit(pids: readonly number[]): Promise<void> {
  await waitFor('the processes to be gone', () => !pids.some(isAlive));
}
