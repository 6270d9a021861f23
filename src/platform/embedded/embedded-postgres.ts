import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { StartError } from '../start-error.js';
import { type ClusterOptions, claimCluster } from './claim.js';
import { DATABASE, PASSWORD_FILE, removeStaleStaging, writeOnce } from './cluster.js';
import { AlreadyRunningError, hasCode } from './errors.js';
import { connectWhenReady, localUrlOf, tryLock } from './ownership.js';
import { findPlaces } from './places.js';
import { stopPostmaster } from './postmaster.js';
import type { Server } from './server.js';
import { findServerUser } from './server-user.js';

export { AlreadyRunningError };

/** A server that ends more often than this within a minute is not started again. */
const RESTARTS_PER_MINUTE = 5;

export interface EmbeddedPostgres {
  /** Of the database `heliograph`, as its superuser; stays the same when the server is started again. */
  readonly url: string;
  /** Resolves after `close`; rejects when the server is lost for good, or another process took the data folder. */
  readonly closed: Promise<void>;
  /** Ends every connection, shuts the server down in order and waits for its end. May be called again. */
  close(): Promise<void>;
}

/**
 * Starts a PostgreSQL of our own as a child process, on a cluster in DATA_DIR that is made at the first start. It listens
 * on the loopback address only and is started again when it dies while this process lives.
 * @param options.dataDir absolute path; made when missing
 * @throws {AlreadyRunningError} when another process serves this DATA_DIR
 */
export async function startEmbeddedPostgres(options: { dataDir: string; log: Logger }): Promise<EmbeddedPostgres> {
  const { dataDir, log } = options;
  const password = await openDataDir(dataDir);
  const user = await findServerUser(join(dataDir, 'postgres'));
  const places = await findPlaces({ dataDir, password, user, log });
  const logFile = join(dataDir, 'postgres.log');
  const cluster: ClusterOptions = { ...places, dataDir, logFile, password, user, log };
  const { port, ...server } = await claimCluster(cluster);
  const running = new RunningCluster(cluster, port, server);
  await removeStaleStaging(join(dataDir, 'postgres')).catch((error: unknown) =>
    log.warn({ err: error }, `What an interrupted first start left in ${dataDir} cannot be removed`),
  );
  try {
    await createDatabase(server);
  } catch (error) {
    await running.close();
    throw error;
  }
  return running;
}

/** Makes DATA_DIR and the password of its cluster, where they are missing. */
async function openDataDir(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true });
    return await writeOnce(join(dataDir, PASSWORD_FILE), randomBytes(24).toString('hex'));
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC')) throw error;
    throw new StartError(`DATA_DIR ${dataDir} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

async function createDatabase({ client }: Server): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8'`);
}

/** Watches over the server and the lock until it is closed. */
class RunningCluster implements EmbeddedPostgres {
  readonly url: string;
  readonly closed: Promise<void>;
  readonly #cluster: ClusterOptions;
  readonly #port: number;
  readonly #watching: Promise<void>;
  #server: Server;
  #closing: Promise<void> | null = null;
  #restarts: number[] = [];
  #resolveClosed: () => void = () => undefined;
  #rejectClosed: (error: unknown) => void = () => undefined;

  constructor(cluster: ClusterOptions, port: number, server: Server) {
    this.#cluster = cluster;
    this.#port = port;
    this.#server = server;
    this.url = localUrlOf({ port, password: cluster.password, data: cluster.data }, DATABASE);
    this.closed = new Promise((resolve, reject) => {
      this.#resolveClosed = resolve;
      this.#rejectClosed = reject;
    });
    this.#watching = this.#watch();
  }

  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    await endServer(this.#server);
    // A restart that was under way has by now either failed or made another server.
    await this.#watching;
    await endServer(this.#server);
    this.#resolveClosed();
  }

  /** Starts the server again whenever it ends, and takes the lock again whenever its connection is lost. */
  async #watch(): Promise<void> {
    try {
      while (!this.#closing) {
        await endOf(this.#server.client);
        if (this.#closing) return;
        if (!(await this.#reconnect())) await this.#restart();
      }
    } catch (error) {
      if (!this.#closing) this.#rejectClosed(error);
    }
  }

  /** @returns false when the server is gone */
  async #reconnect(): Promise<boolean> {
    const { child } = this.#server;
    const { password, dataDir, log } = this.#cluster;
    const address = { port: this.#port, password };
    const client = await connectWhenReady(
      async () => address,
      () => runs(child) && !this.#closing,
    );
    if (!client) return false;
    this.#server = { child, client };
    if (!(await tryLock(client))) throw new AlreadyRunningError(dataDir);
    log.warn('The connection that guards the data folder was lost, and is back');
    return true;
  }

  async #restart(): Promise<void> {
    if (this.#closing) return;
    const { log, logFile } = this.#cluster;
    const now = Date.now();
    this.#restarts = [...this.#restarts.filter((time) => now - time < 60_000), now];
    if (this.#restarts.length > RESTARTS_PER_MINUTE) {
      throw new Error(`PostgreSQL ended ${this.#restarts.length} times within a minute; its log is ${logFile}`);
    }
    log.error(`PostgreSQL ended unexpectedly: starting it again (its log is ${logFile})`);
    const { child, client } = await claimCluster(this.#cluster, this.#port);
    this.#server = { child, client };
    log.info('PostgreSQL runs again');
  }
}

/** Not `once` of node:events, which rejects at the `error` that comes before every unexpected end. */
function endOf(client: pg.Client): Promise<void> {
  return new Promise((resolve) => client.once('end', () => resolve()));
}

function runs(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** The lock stays taken until the server has ended, so that no other start meets one that is free but stopping. */
async function endServer({ child, client }: Server): Promise<void> {
  if (runs(child) && child.pid !== undefined) {
    const ended = once(child, 'exit');
    await stopPostmaster(child.pid);
    await ended;
  }
  await client.end().catch(() => undefined);
}
