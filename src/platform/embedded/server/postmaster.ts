import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readIfThere } from '../cluster/files.js';
import { hasCode } from '../errors.js';
import { run } from './run.js';

/** What `postmaster.pid` says (PostgreSQL's src/include/utils/pidfile.h). */
export interface Postmaster {
  pid: number;
  /** Null while it is so new that it has not written its port. */
  port: number | null;
  /** Whether it listens on a Unix socket, which always lies in its data folder. */
  hasSocket: boolean;
}

/** The server that `postmaster.pid` names, alive or not; null when there is no such file. */
export async function readPostmaster(data: string): Promise<Postmaster | null> {
  const lines = (await readIfThere(join(data, 'postmaster.pid')))?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3]) || null, hasSocket: Boolean(lines[4]) };
}

/**
 * Whether a server accepts connections, as `postmaster.pid` says on its eighth line. Connecting before that would add a
 * line to PostgreSQL's log for every try.
 */
export async function isReady(pid: number, data: string): Promise<boolean> {
  const lines = (await readIfThere(join(data, 'postmaster.pid')))?.split('\n') ?? [];
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

/** A process that has ended stays a zombie for as long as its parent, such as a container's first process, ignores it. */
function isZombie(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

/**
 * Whether a process is a PostgreSQL on this folder. After a crash of the machine, or in a new container, the number may
 * belong to any other program.
 */
export async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  try {
    // A postmaster works in its data folder, even after that was renamed.
    const [present, folder, name] = await Promise.all([
      stat(`/proc/${pid}/cwd`),
      stat(data),
      readFile(`/proc/${pid}/comm`, 'utf8'),
    ]);
    return name.trim() === 'postgres' && present.dev === folder.dev && present.ino === folder.ino;
  } catch {
    // No /proc here (macOS), or not allowed to look at another user's process (a container without SYS_PTRACE).
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]);
    const command = stdout || ((await readIfThere(`/proc/${pid}/cmdline`).catch(() => null)) ?? '');
    return command.includes('postgres') && command.includes(data);
  }
}

/** Resolves true once the process is gone, false after `timeoutMs`. */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  // The system reports the end of own children only, and this one's parent is gone.
  for (const deadline = performance.now() + timeoutMs; isAlive(pid); await pause(20)) {
    if (performance.now() > deadline) return false;
  }
  return true;
}

/** Stops a server: at first in order, then at once if it takes more than 30 s (it recovers at its next start). */
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
  throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}
