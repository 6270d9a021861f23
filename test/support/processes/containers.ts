import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, onTestFinished } from 'vitest';
import { NAMESPACES_SUITE } from '../run/provided.js';
import { waitFor } from '../wait-for.js';

/** Namespaces as Docker gives them to a container; the file system is shared, as a volume is. */
const NAMESPACES = ['--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--ipc', '--net', '--uts'];

function canUnshare(): boolean {
  return spawnSync('unshare', [...NAMESPACES, 'ip', 'link', 'set', 'lo', 'up']).status === 0;
}

/** A suite that needs several containers on one folder: skipped and counted where no namespaces can be made. */
export function describeContainers(name: string, suite: () => void): void {
  describe.skipIf(!canUnshare())(`${name} ${NAMESPACES_SUITE}`, suite);
}

/** A program with process numbers, shared memory, a loopback address and a host name of its own. */
export interface Container {
  /** Everything it has said so far, both streams. */
  output(): string;
  /** The exit code; null when it was killed. */
  ended: Promise<number | null>;
  /** Asks the program to end. */
  stop(): Promise<void>;
  /** Ends every process in it at once, as `docker kill` does. */
  kill(): Promise<void>;
  /** Ends the program alone; what it started goes on, for the container's first process outlives it. */
  killProgram(): Promise<void>;
}

/**
 * Runs Node.js in a container, which ends with the test.
 * @param options.outlives whether the container goes on after the program has ended
 */
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
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  return {
    output: () => output,
    ended,
    kill,
    stop: async () => {
      process.kill(programOf(child), 'SIGTERM');
      await ended;
    },
    killProgram: async () => {
      const program = programOf(child);
      process.kill(program, 'SIGKILL');
      await waitFor('the program to end', () => childrenOf(firstOf(child)).every((pid) => pid !== program));
    },
  };
}

/** The first process of the container, by its number outside. */
function firstOf(child: ChildProcess): number {
  const [first] = childrenOf(child.pid as number);
  if (first === undefined) throw new Error('the container has ended');
  return first;
}

function programOf(child: ChildProcess): number {
  const first = firstOf(child);
  const name = readFileSync(`/proc/${first}/comm`, 'utf8').trim();
  return name === 'sh' ? (childrenOf(first)[0] as number) : first;
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}
