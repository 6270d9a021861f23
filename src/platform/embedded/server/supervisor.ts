import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { backoffMs } from '../../background/backoff.js';
import { StartError } from '../../errors/start-error.js';
import type { FileLock } from '../../machine/file-lock.js';
import { DATABASE } from '../cluster/cluster.js';
import { type ClusterOptions, claimCluster } from '../ownership/claim.js';
import { alreadyRunning } from '../ownership/folder-lock.js';
import { connectWhenReady, localUrlOf, tryLock, urlOf } from '../ownership/ownership.js';
import { ForkFailures } from './fork-failures.js';
import { describeFullDisk, type FullDisk, findFullDisk, saysDiskIsFull } from './full-disk.js';
import { stopPostmaster } from './postmaster.js';
import { type Server, ServerStartError } from './server.js';

/** A server that ends more often than this within a minute is not started again, unless its disk is full. */
const MAX_RESTARTS_PER_MINUTE = 5;
/** A server that has run for so long, in milliseconds, is started again at once when it ends. */
const STEADY_MS = 60_000;
/** Between restarts, from the second one on. */
const RESTART_PAUSES = { firstMs: 500, longestMs: 30_000 };
/** How often a full disk is examined, in milliseconds. */
const DISK_CHECK_MS = 500;

/** An embedded PostgreSQL that runs. */
export interface EmbeddedPostgres {
  /** Of the database `heliograph`, as its superuser; stays the same when the server is started again. */
  readonly url: string;
  /** The folder of its cluster. */
  readonly data: string;
  /** Resolves after `close`; rejects when the server is lost for good, or another process took the data folder. */
  readonly closed: Promise<void>;
  /** Ends every connection, shuts the server down in order and waits for its end. May be called again. */
  close(): Promise<void>;
}

/** Watches over the server and the lock until it is closed. */
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
  readonly #ending = new AbortController();
  #restarts: number[] = [];
  /** Restarts in a row after which the server did not run for long. */
  #quickEnds = 0;
  #startedAt = performance.now();
  /** The disk whose lack of room was reported, until the server runs again. */
  #fullDisk: FullDisk | null = null;
  #resolveClosed: () => void = () => undefined;
  #rejectClosed: (error: unknown) => void = () => undefined;

  /** @param lock on the data folder; `close` releases it */
  constructor(cluster: ClusterOptions, port: number, server: Server, lock: FileLock) {
    this.#cluster = cluster;
    this.data = cluster.data;
    this.#port = port;
    this.#lock = lock;
    this.#server = server;
    this.url = localUrlOf({ port, password: cluster.password, data: cluster.data }, DATABASE);
    this.closed = new Promise((resolve, reject) => {
      this.#resolveClosed = resolve;
      this.#rejectClosed = reject;
    });
    this.#watching = this.#watch();
    this.#forkFailures = new ForkFailures(cluster);
  }

  close(): Promise<void> {
    this.#closing ??= this.#stop();
    this.#ending.abort();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    this.#forkFailures.stop();
    await endServer(this.#server);
    // A restart that was under way has by now either failed or made another server.
    await this.#watching;
    await endServer(this.#server);
    this.#lock.release();
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
    const url = urlOf({ port: this.#port, password }, 'postgres');
    const client = await connectWhenReady(
      async () => url,
      () => runs(child) && !this.#closing,
    );
    if (!client) return false;
    this.#server = { child, client };
    if (!(await tryLock(client))) throw await alreadyRunning(dataDir);
    log.warn('The connection that guards the data folder was lost, and is back');
    return true;
  }

  /** Retries a failed start too: its cause may be temporary, like a full disk. */
  async #restart(): Promise<void> {
    if (performance.now() - this.#startedAt >= STEADY_MS) this.#quickEnds = 0;
    for (let started = false; !started && !this.#closing; ) {
      await this.#waitToRestart();
      if (this.#closing) return;
      started = await this.#startAgain().catch((error) => {
        // Another process has the data folder, or its password is wrong.
        if (error instanceof StartError && !(error instanceof ServerStartError)) throw error;
        // A quota is used up, which the disk does not show.
        if (error instanceof ServerStartError && saysDiskIsFull(error.said)) this.#restarts = [];
        if (!this.#fullDisk) this.#cluster.log.error({ err: error }, 'PostgreSQL ended while it started');
        return false;
      });
    }
  }

  /** Waits longer after each restart that did not last, or until a full disk has room again. */
  async #waitToRestart(): Promise<void> {
    const { data, log, logFile } = this.#cluster;
    const disk = await findFullDisk(data);
    if (disk && !this.#fullDisk) {
      log.error(
        `PostgreSQL ended, because ${describeFullDisk(disk)}: requests get 503 until there is room (its log is ${logFile})`,
      );
    }
    this.#fullDisk = disk;
    this.#quickEnds += 1;
    if (this.#quickEnds === 1) return;
    const until = performance.now() + backoffMs(this.#quickEnds - 1, RESTART_PAUSES);
    while (!this.#closing && performance.now() < until) {
      const leftMs = until - performance.now();
      await pause(Math.min(DISK_CHECK_MS, leftMs), undefined, { signal: this.#ending.signal }).catch(() => undefined);
      if (disk && !(await findFullDisk(data))) return;
    }
  }

  async #startAgain(): Promise<true> {
    const { log, logFile } = this.#cluster;
    if (this.#fullDisk) this.#restarts = [];
    else {
      const now = performance.now();
      this.#restarts = [...this.#restarts.filter((time) => now - time < 60_000), now];
      if (this.#restarts.length > MAX_RESTARTS_PER_MINUTE) {
        throw new StartError(`PostgreSQL ended ${this.#restarts.length} times within a minute; its log is ${logFile}`);
      }
      log.error(`PostgreSQL ended unexpectedly: starting it again (its log is ${logFile})`);
    }
    const { child, client } = await claimCluster(this.#cluster, this.#port);
    this.#server = { child, client };
    this.#startedAt = performance.now();
    // With the disk still full it may end again at once: that is the same outage.
    if (this.#fullDisk && (await findFullDisk(this.data))) return true;
    this.#fullDisk = null;
    log.info('PostgreSQL runs again');
    return true;
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
