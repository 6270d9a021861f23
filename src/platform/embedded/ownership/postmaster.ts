import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readIfExists } from '../cluster/files.js';
import { hasCode } from '../errors.js';
import { run } from '../run.js';

/** Content of postmaster.pid (format: PostgreSQL's src/include/utils/pidfile.h). */
export interface Postmaster {
  pid: number;
  /** Null until written. */
  port: number | null;
  /** Whether PostgreSQL has a Unix socket, which is in its data folder. */
  hasSocket: boolean;
}

/** The file postmaster.pid can exist without a running server. */
export async function readPostmaster(data: string): Promise<Postmaster | null> {
  const lines = (await readIfExists(join(data, 'postmaster.pid')))?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3]) || null, hasSocket: Boolean(lines[4]) };
}

/** Connection attempts before PostgreSQL is ready would each add a line to its log. */
export async function isReady(pid: number, data: string): Promise<boolean> {
  const lines = (await readIfExists(join(data, 'postmaster.pid')))?.split('\n') ?? [];
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false;
  }
  return !isZombie(pid);
}

/** The first process of a container may never reap zombies, so an ended PostgreSQL can stay in the process table. */
function isZombie(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

/** After a crash or in a new container, the process ID in postmaster.pid may belong to another program. */
export async function isPostmasterFor(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  try {
    // A postmaster's working directory is its data folder, even after the folder has been renamed.
    const [workingFolder, folder, name] = await Promise.all([
      stat(`/proc/${pid}/cwd`),
      stat(data),
      readFile(`/proc/${pid}/comm`, 'utf8'),
    ]);
    return name.trim() === 'postgres' && workingFolder.dev === folder.dev && workingFolder.ino === folder.ino;
  } catch {
    // macOS has no /proc, and a container without SYS_PTRACE cannot read the /proc entries of other users.
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]);
    const command = stdout || ((await readIfExists(`/proc/${pid}/cmdline`).catch(() => null)) ?? '');
    return command.includes('postgres') && command.includes(data);
  }
}

export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  // Poll, because a process that is not our child has no `exit` event.
  for (const deadline = performance.now() + timeoutMs; isAlive(pid); await pause(20)) {
    if (performance.now() > deadline) return false;
  }
  return true;
}

/** Stops PostgreSQL with a fast shutdown, and with an immediate shutdown after 30 s. */
export async function stopPostmaster(pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (hasCode(error, 'ESRCH')) return;
      throw error;
    }
    if (await waitForEnd(pid, 30_000)) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) did not stop`);
}
