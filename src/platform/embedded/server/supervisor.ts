import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { backoffMs } from '../../background/backoff.js';
import { StartError } from '../../errors/start-error.js';
import type { FileLock } from '../../machine/file-lock.js';
import { DATABASE } from '../cluster/cluster.js';
import { createAlreadyRunningError } from '../ownership/folder-lock.js';
import { buildLocalUrl, buildTcpUrl, connectWhenReady, tryServingLock } from '../ownership/ownership.js';
import { stopPostmaster } from '../ownership/postmaster.js';
import { type ClusterOptions, claimCluster } from './claim.js';
import { ForkFailures } from './fork-failures.js';
import { describeFullDisk, type FullDisk, findFullDisk, reportsFullDisk } from './full-disk.js';
import { type Server, ServerStartError } from './server.js';

const MAX_RESTARTS_PER_MINUTE = 5;
/** A PostgreSQL that ran for at least a minute is restarted without a pause. */
const STEADY_MS = 60_000;
const RESTART_PAUSES = { firstMs: 500, longestMs: 30_000 };
const DISK_CHECK_MS = 500;

export interface EmbeddedPostgres {
  /** URL of the database `heliograph`, with PostgreSQL's superuser. */
  readonly url: string;
  readonly data: string;
  /** The promise rejects if PostgreSQL cannot be restarted, or if another process has taken over the data folder. */
  readonly closed: Promise<void>;
  /** Can be called repeatedly. */
  close(): Promise<void>;
}

export class SupervisedPostgres implements EmbeddedPostgres {
  readonly url: string;
  readonly data: string;
  readonly closed: Promise<void>;
  readonly #cluster: ClusterOptions;
  readonly #port: number;
  readonly #lock: FileLock;
  readonly #watching: Promise<void>;
  readonly #forkFailures: ForkFailures;
  #server: Server;
  #closing: Promise<void> | null = null;
  readonly #closeController = new AbortController();
  #restartTimes: number[] = [];
  /** How many times in a row PostgreSQL ended within `STEADY_MS` of its start. */
  #quickEnds = 0;
  #startedAt = performance.now();
  #fullDisk: FullDisk | null = null;
  #resolveClosed: () => void = () => undefined;
  #rejectClosed: (error: unknown) => void = () => undefined;

  /** @param lock released by `close` */
  constructor(cluster: ClusterOptions, port: number, server: Server, lock: FileLock) {
    this.#cluster = cluster;
    this.data = cluster.data;
    this.#port = port;
    this.#lock = lock;
    this.#server = server;
    this.url = buildLocalUrl({ port, password: cluster.password, data: cluster.data }, DATABASE);
    this.closed = new Promise((resolve, reject) => {
      this.#resolveClosed = resolve;
      this.#rejectClosed = reject;
    });
    this.#watching = this.#watch();
    this.#forkFailures = new ForkFailures(cluster);
  }

  close(): Promise<void> {
    this.#closing ??= this.#stop();
    this.#closeController.abort();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    this.#forkFailures.stop();
    await endServer(this.#server);
    await this.#watching;
    await endServer(this.#server);
    this.#lock.release();
    this.#resolveClosed();
  }

  async #watch(): Promise<void> {
    try {
      while (!this.#closing) {
        await waitForDisconnect(this.#server.client);
        if (this.#closing) return;
        if (!(await this.#reconnect())) await this.#restart();
      }
    } catch (error) {
      if (!this.#closing) this.#rejectClosed(error);
    }
  }

  /** @returns false if PostgreSQL ended */
  async #reconnect(): Promise<boolean> {
    const { child } = this.#server;
    const { password, dataDir, log } = this.#cluster;
    const url = buildTcpUrl({ port: this.#port, password }, 'postgres');
    const client = await connectWhenReady(
      async () => url,
      () => isRunning(child) && !this.#closing,
    );
    if (!client) return false;
    this.#server = { child, client };
    if (!(await tryServingLock(client))) throw await createAlreadyRunningError(dataDir);
    log.warn('The connection that holds the lock on the data folder was lost and has been restored');
    return true;
  }

  /** Restarts PostgreSQL, and retries a failed start because its cause may be temporary. */
  async #restart(): Promise<void> {
    if (performance.now() - this.#startedAt >= STEADY_MS) this.#quickEnds = 0;
    for (let hasStarted = false; !hasStarted && !this.#closing; ) {
      await this.#waitToRestart();
      if (this.#closing) return;
      hasStarted = await this.#startServer().catch((error) => {
        if (error instanceof StartError && !(error instanceof ServerStartError)) throw error;
        // `findFullDisk` does not detect an exhausted quota.
        if (error instanceof ServerStartError && reportsFullDisk(error.logText)) this.#restartTimes = [];
        if (!this.#fullDisk) this.#cluster.log.error({ err: error }, 'PostgreSQL ended during its start');
        return false;
      });
    }
  }

  async #waitToRestart(): Promise<void> {
    const { data, log, logFile } = this.#cluster;
    const disk = await findFullDisk(data);
    if (disk && !this.#fullDisk) {
      log.error(
        `PostgreSQL ended because ${describeFullDisk(disk)}. Requests get a 503 until there is space (its log is ${logFile})`,
      );
    }
    this.#fullDisk = disk;
    this.#quickEnds += 1;
    if (this.#quickEnds === 1) return;
    const until = performance.now() + backoffMs(this.#quickEnds - 1, RESTART_PAUSES);
    while (!this.#closing && performance.now() < until) {
      const remainingMs = until - performance.now();
      await pause(Math.min(DISK_CHECK_MS, remainingMs), undefined, { signal: this.#closeController.signal }).catch(
        () => undefined,
      );
      if (disk && !(await findFullDisk(data))) return;
    }
  }

  async #startServer(): Promise<true> {
    const { log, logFile } = this.#cluster;
    if (this.#fullDisk) this.#restartTimes = [];
    else {
      const now = performance.now();
      this.#restartTimes = [...this.#restartTimes.filter((time) => now - time < 60_000), now];
      if (this.#restartTimes.length > MAX_RESTARTS_PER_MINUTE) {
        throw new StartError(
          `PostgreSQL ended ${this.#restartTimes.length} times within a minute (its log is ${logFile})`,
        );
      }
      log.error(`PostgreSQL ended unexpectedly; restarting it (its log is ${logFile})`);
    }
    const { child, client } = await claimCluster(this.#cluster, this.#port);
    this.#server = { child, client };
    this.#startedAt = performance.now();
    // While the disk is still full, the outage is not over, so no recovery is logged.
    if (this.#fullDisk && (await findFullDisk(this.data))) return true;
    this.#fullDisk = null;
    log.info('PostgreSQL is running again');
    return true;
  }
}

/** `events.once` would reject, because pg emits `error` before `end` when a connection ends unexpectedly. */
function waitForDisconnect(client: pg.Client): Promise<void> {
  return new Promise((resolve) => client.once('end', () => resolve()));
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** The advisory lock is released last, so that no other process gets it while PostgreSQL is still stopping. */
async function endServer({ child, client }: Server): Promise<void> {
  if (isRunning(child) && child.pid !== undefined) {
    const exited = once(child, 'exit');
    await stopPostmaster(child.pid);
    await exited;
  }
  await client.end().catch(() => undefined);
}
