import { type ChildProcess, spawn } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { StartError } from '../../errors/start-error.js';
import type { FileLock } from '../../machine/file-lock.js';
import { withProcessAdvice } from '../errors.js';
import { connectWhenReady, socketFolder, urlOf } from '../ownership/ownership.js';
import { findForkFailure } from './fork-failures.js';
import { describeFullDisk, type FullDisk, findFullDisk } from './full-disk.js';
import { isReady } from './postmaster.js';
import { run, type ServerUser, serverEnvironment } from './run.js';

/** A log longer than this is put aside at the next start. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

export interface ServerOptions {
  binaries: string;
  data: string;
  logFile: string;
  port: number;
  password: string;
  user: ServerUser | null;
  /** How many connections it takes at the least; undefined: as many as its configuration says. */
  connections?: number | undefined;
  /** A process that postmaster.pid names although it is another program, which has its number by chance. */
  stranger?: number;
  /** The locked file of the cluster: PostgreSQL inherits it, and with it the lock. Without one nothing keeps a second server away. */
  lock?: FileLock;
}

export interface Server {
  child: ChildProcess;
  /** Connected to the database `postgres`. */
  client: pg.Client;
}

/** The server ended before it accepted connections. The message starts with the cause. */
export class ServerStartError extends StartError {
  /** The lines that it logged. */
  readonly said: string;

  constructor(said: string, logFile: string, disk: FullDisk | null) {
    super(withProcessAdvice(`PostgreSQL did not start${describeCause(said, disk)}\nIts log is ${logFile}.`));
    this.name = 'ServerStartError';
    this.said = said;
  }
}

/** Lines of a log that end a server, with the time and process that PostgreSQL puts before them. */
const FATAL_LINE = /^.*?\b((?:FATAL|PANIC): .*)$/;
/** Lines of the log that are shown where none of them ends the server. */
const LAST_LINES = 5;

function describeCause(said: string, disk: FullDisk | null): string {
  const lines = said.trim().split('\n');
  const fatal = lines.map((line) => FATAL_LINE.exec(line)?.[1]).find((line) => line !== undefined);
  if (disk) {
    const advice = 'Make room there, then start again.';
    return `, because ${describeFullDisk(disk)}. ${advice}${fatal ? `\n${fatal}` : ''}`;
  }
  return fatal ? `. ${fatal}` : `. Its last words:\n${lines.slice(-LAST_LINES).join('\n')}`;
}

/**
 * Starts PostgreSQL in a session of its own, so that Ctrl-C reaches only us, and waits until it accepts connections.
 * @throws {ServerStartError} when it ends before
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { binaries, data, logFile, port, password, user, stranger, lock } = options;
  const raised = await raisedConnections(options);
  await rotateLog(logFile);
  const log = await open(logFile, 'a', 0o600);
  try {
    const before = (await log.stat()).size;
    if (user) await log.chown(user.uid, user.gid);
    const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', data, ...settingsFor(port, data, raised)], {
      cwd: '/',
      // The way of pg_ctl to say that a process is no postmaster: PostgreSQL itself then removes the stale file safely.
      env: { ...serverEnvironment(), ...(stranger && { PG_GRANDPARENT_PID: String(stranger) }) },
      detached: true,
      stdio: ['ignore', log.fd, log.fd, ...(lock ? [lock.fd] : [])],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    let failure: Error | null = null;
    child.once('error', (error) => {
      failure = error;
    });
    const runs = () => failure === null && child.exitCode === null && child.signalCode === null;
    const url = async () =>
      child.pid && (await isReady(child.pid, data)) ? urlOf({ port, password }, 'postgres') : null;
    const expectForks = async () => {
      const { failure } = await findForkFailure(logFile, before);
      if (failure) throw new ServerStartError(`LOG:  ${failure}`, logFile, null);
    };
    const client = await connectWhenReady(url, runs, expectForks).catch((error) => {
      child.kill('SIGQUIT');
      throw error;
    });
    if (client) return { child, client };
    if (failure) throw new StartError(withProcessAdvice(`PostgreSQL cannot be started: ${(failure as Error).message}`));
    const said = await readFrom(logFile, before);
    // On a full disk the log may have no line that says so.
    throw new ServerStartError(said, logFile, await findFullDisk(data));
  } finally {
    await log.close();
  }
}

/** What must hold whatever the configuration of the cluster says. */
function settingsFor(port: number, data: string, raised: object): string[] {
  const folder = socketFolder(data, port);
  // A list; the quotes let a folder's name hold a comma.
  const unix_socket_directories = folder === null ? '' : `"${folder.replaceAll('"', '""')}"`;
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories, ...raised };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** What an operator has set is let be where it is enough. */
async function raisedConnections({ binaries, data, user, connections }: ServerOptions): Promise<object> {
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
    // Starts with a whole line.
    return start > offset ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    await handle.close();
  }
}

/** Keeps one earlier log beside the present one. */
async function rotateLog(logFile: string): Promise<void> {
  const size = (await stat(logFile).catch(() => null))?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
}
