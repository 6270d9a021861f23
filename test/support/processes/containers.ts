import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, onTestFinished } from 'vitest';
import { NAMESPACES_SUITE } from '../run/provided.js';
import { waitFor } from '../wait-for.js';

/** Namespaces of a Docker container, except that the file system is shared like a volume. */
const NAMESPACES = ['--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--ipc', '--net', '--uts'];

function canUnshare(): boolean {
  return spawnSync('unshare', [...NAMESPACES, 'ip', 'link', 'set', 'lo', 'up']).status === 0;
}

/** Skips and reports the suite if namespaces are not permitted. */
export function describeContainers(name: string, suite: () => void): void {
  describe.skipIf(!canUnshare())(`${name} ${NAMESPACES_SUITE}`, suite);
}

/** A program with its own process IDs, shared memory, loopback address and host name. */
export interface Container {
  /** Both output streams. */
  output(): string;
  /** Resolves with the exit code, or with null if the program was killed. */
  exitCode: Promise<number | null>;
  stop(): Promise<void>;
  /** Kills all processes in the container, like `docker kill`. */
  kill(): Promise<void>;
  /** Kills only the program. The program's children survive, because the container's first process keeps running. */
  killProgram(): Promise<void>;
}

/** @param options.outlives whether the container keeps running after its program has ended */
export function startContainer(
  hostname: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; outlives?: boolean } = {},
): Container {
  const run = options.outlives ? '"$@" & wait; exec sleep 3600' : 'exec "$@"';
  const script = `hostname "$0" && ip link set lo up && ${run}`;
  const command = ['sh', '-c', script, hostname, process.execPath, ...args];
  const child = spawn('unshare', [...NAMESPACES, ...command], {
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  const kill = async () => {
    child.kill('SIGKILL');
    await exitCode;
  };
  onTestFinished(kill);
  return {
    output: () => output,
    exitCode,
    kill,
    stop: async () => {
      process.kill(findProgramPid(child), 'SIGTERM');
      await exitCode;
    },
    killProgram: async () => {
      const program = findProgramPid(child);
      process.kill(program, 'SIGKILL');
      await waitFor('the program to end', () => listChildPids(findFirstPid(child)).every((pid) => pid !== program));
    },
  };
}

/** Finds the process ID of the container's first process, as seen outside the container. */
function findFirstPid(child: ChildProcess): number {
  const [firstPid] = listChildPids(child.pid as number);
  if (firstPid === undefined) throw new Error('the container has ended');
  return firstPid;
}

function findProgramPid(child: ChildProcess): number {
  const firstPid = findFirstPid(child);
  const name = readFileSync(`/proc/${firstPid}/comm`, 'utf8').trim();
  return name === 'sh' ? (listChildPids(firstPid)[0] as number) : firstPid;
}

function listChildPids(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}
