import { type ChildProcess, spawn } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { StartError } from '../errors/start-error.js';
import { connectWhenReady, socketFolder } from './ownership.js';
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
  connections?: number;
  /** A process that postmaster.pid names although it is another program, which has its number by chance. */
  stranger?: number;
}

export interface Server {
  child: ChildProcess;
  /** Connected to the database `postgres`. */
  client: pg.Client;
}

/** Why a server ended before it accepted connections: the lines that it logged. */
export class ServerStartError extends StartError {
  readonly said: string;

  constructor(said: string, logFile: string) {
    super(`PostgreSQL did not start; its log ${logFile} says:\n${said.trim()}`);
    this.name = 'ServerStartError';
    this.said = said;
  }
}

/**
 * Starts PostgreSQL in a session of its own, so that Ctrl-C reaches only us, and waits until it accepts connections.
 * @throws {ServerStartError} when it ends before
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { binaries, data, logFile, port, password, user, stranger } = options;
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
      stdio: ['ignore', log.fd, log.fd],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    let failure: Error | null = null;
    child.once('error', (error) => {
      failure = error;
    });
    const runs = () => failure === null && child.exitCode === null && child.signalCode === null;
    const client = await connectWhenReady(async () => ({ port, password }), runs);
    if (client) return { child, client };
    if (failure) throw failure;
    throw new ServerStartError(await readFrom(logFile, before), logFile);
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
    return buffer.toString();
  } finally {
    await handle.close();
  }
}

/** Keeps one earlier log beside the present one. */
async function rotateLog(logFile: string): Promise<void> {
  const size = (await stat(logFile).catch(() => null))?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
}
