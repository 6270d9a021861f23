import { type ChildProcess, spawn } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { StartError } from '../../errors/start-error.js';
import type { FileLock } from '../../machine/file-lock.js';
import { withProcessAdvice } from '../errors.js';
import { buildTcpUrl, connectWhenReady, findSocketFolder } from '../ownership/ownership.js';
import { isReady } from '../ownership/postmaster.js';
import { buildServerEnvironment, run, type ServerUser } from '../run.js';
import { findForkFailure } from './fork-failures.js';
import { describeFullDisk, type FullDisk, findFullDisk } from './full-disk.js';

const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

export interface ServerOptions {
  binaries: string;
  data: string;
  logFile: string;
  port: number;
  password: string;
  user: ServerUser | null;
  connections?: number | undefined;
  /** Process ID in postmaster.pid, set if another program now has this ID. */
  unrelatedPid?: number;
  /** Lock on the cluster that PostgreSQL inherits, so that no second PostgreSQL can start. */
  lock?: FileLock;
}

export interface Server {
  child: ChildProcess;
  client: pg.Client;
}

export class ServerStartError extends StartError {
  readonly logText: string;

  constructor(logText: string, logFile: string, disk: FullDisk | null) {
    super(withProcessAdvice(`PostgreSQL did not start${describeCause(logText, disk)}\nIts log is ${logFile}.`));
    this.name = 'ServerStartError';
    this.logText = logText;
  }
}

const FATAL_LINE = /^.*?\b((?:FATAL|PANIC): .*)$/;
const LAST_LINES = 5;

function describeCause(logText: string, disk: FullDisk | null): string {
  const lines = logText.trim().split('\n');
  const fatal = lines.map((line) => FATAL_LINE.exec(line)?.[1]).find((line) => line !== undefined);
  if (disk) {
    const advice = 'Free some space, then start again.';
    return `, because ${describeFullDisk(disk)}. ${advice}${fatal ? `\n${fatal}` : ''}`;
  }
  return fatal ? `. ${fatal}` : `. The end of its log:\n${lines.slice(-LAST_LINES).join('\n')}`;
}

/** Starts PostgreSQL in a separate process group, so that Ctrl-C does not reach it. @throws {ServerStartError} */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { binaries, data, logFile, port, password, user, unrelatedPid, lock } = options;
  const raisedSettings = await raiseMaxConnections(options);
  await rotateLog(logFile);
  const log = await open(logFile, 'a', 0o600);
  try {
    const previousSize = (await log.stat()).size;
    if (user) await log.chown(user.uid, user.gid);
    const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', data, ...buildSettings(port, data, raisedSettings)], {
      cwd: '/',
      // Like pg_ctl, use PG_GRANDPARENT_PID to mark a process ID that is not a postmaster, so that PostgreSQL removes
      // postmaster.pid.
      env: { ...buildServerEnvironment(), ...(unrelatedPid && { PG_GRANDPARENT_PID: String(unrelatedPid) }) },
      detached: true,
      stdio: ['ignore', log.fd, log.fd, ...(lock ? [lock.fd] : [])],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    let failure: Error | null = null;
    child.once('error', (error) => {
      failure = error;
    });
    const isRunning = () => failure === null && child.exitCode === null && child.signalCode === null;
    const findUrl = async () =>
      child.pid && (await isReady(child.pid, data)) ? buildTcpUrl({ port, password }, 'postgres') : null;
    const throwIfForkFailed = async () => {
      const { failure } = await findForkFailure(logFile, previousSize);
      if (failure) throw new ServerStartError(`LOG:  ${failure}`, logFile, null);
    };
    const client = await connectWhenReady(findUrl, isRunning, throwIfForkFailed).catch((error) => {
      child.kill('SIGQUIT');
      throw error;
    });
    if (client) return { child, client };
    if (failure) throw new StartError(withProcessAdvice(`Cannot start PostgreSQL: ${(failure as Error).message}`));
    const newLogText = await readFrom(logFile, previousSize);
    throw new ServerStartError(newLogText, logFile, await findFullDisk(data));
  } finally {
    await log.close();
  }
}

function buildSettings(port: number, data: string, raisedSettings: object): string[] {
  const folder = findSocketFolder(data, port);
  const unix_socket_directories = folder === null ? '' : `"${folder.replaceAll('"', '""')}"`;
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories, ...raisedSettings };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function raiseMaxConnections({ binaries, data, user, connections }: ServerOptions): Promise<object> {
  if (connections === undefined) return {};
  const { stdout } = await run(join(binaries, 'bin', 'postgres'), ['-D', data, '-C', 'max_connections'], user);
  return Number(stdout) >= connections ? {} : { max_connections: connections };
}

async function readFrom(file: string, offset: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const start = Math.max(offset, size - 4096);
    const buffer = Buffer.alloc(size - start);
    await handle.read(buffer, 0, buffer.length, start);
    const text = buffer.toString();
    return start > offset ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    await handle.close();
  }
}

async function rotateLog(logFile: string): Promise<void> {
  const size = (await stat(logFile).catch(() => null))?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
}
