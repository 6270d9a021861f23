import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../wait-for.js';
import { findFreePort } from './free-port.js';

export const PROJECT_FOLDER = fileURLToPath(new URL('../../..', import.meta.url));

export interface ServerProcess {
  baseUrl: string;
  process: ChildProcess;
  /** Both output streams. */
  output(): string;
  /** Resolves with the exit code, or with null after a signal, once all output has been read. */
  exitCode: Promise<number | null>;
  /** Sends SIGTERM by default, and resolves once the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ServerProcessOptions {
  /** Environment variables, of which PORT is a free port by default. */
  settings?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Folder whose `dist/main.js` is started, by default the project's folder. */
  release?: string;
  /** Arguments of the command `heliograph`, which is started instead of `dist/main.js`. */
  command?: readonly string[];
}

const CLOSING = { headers: { connection: 'close' } };

/**
 * Starts a server process and waits until `/health/ready` answers 200.
 * @throws Error with all output if the server ends or does not become ready
 */
export async function startServerProcess(options: ServerProcessOptions = {}): Promise<ServerProcess> {
  const port = options.settings?.PORT ?? String(await findFreePort());
  const dist = join(options.release ?? PROJECT_FOLDER, 'dist');
  const program = options.command ? [join(dist, 'cli', 'main.js'), ...options.command] : [join(dist, 'main.js')];
  const child = spawn(process.execPath, program, {
    cwd: options.cwd ?? PROJECT_FOLDER,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.settings, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString();
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return await exitCode;
  };
  const baseUrl = `http://127.0.0.1:${port}`;
  const ready = waitFor(
    `the server at ${baseUrl} to be ready`,
    // Each request closes its connection, because a stopping server would wait for open connections.
    async () => child.exitCode !== null || (await fetch(`${baseUrl}/health/ready`, CLOSING)).status === 200,
    { intervalMs: 25 },
  );
  try {
    await ready;
    if (child.exitCode !== null) throw new Error(`the server ended with exit code ${child.exitCode}`);
  } catch (cause) {
    await stop('SIGKILL');
    throw new Error(`the server did not start; its output:\n${output()}`, { cause });
  }
  return { baseUrl, process: child, output, exitCode, stop };
}
