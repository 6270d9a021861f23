import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withTimeout } from '../../platform/timeout.js';
import type { Lane } from '../lanes.js';
import type { SendWorker } from './backend.js';

const RESTART_PAUSE_MS = 500;

/** A worker counts as hung after this many consecutive checks that find ready jobs and an idle worker. */
const HUNG_CHECKS = 5;
/**
 * Each time that reopening a hung worker does not help, the number of checks before the next attempt doubles, up to this limit.
 */
const MAX_CHECKS = 150;

export interface LaneWorkerOptions {
  lane: Lane;
  log: Logger;
  open(): SendWorker;
}

/** Reopens a hung worker, because the relay adds messages again only if the lane has no jobs. */
export class LaneWorker {
  readonly #options: LaneWorkerOptions;
  readonly #stop = new AbortController();
  #worker: SendWorker;
  #running = 0;
  #hasTakenJob = false;
  /** Consecutive checks that found the worker hung, and the number after which it is reopened. */
  #hungChecks = 0;
  #checksBeforeReopen = HUNG_CHECKS;
  #reopened = 0;

  constructor(options: LaneWorkerOptions) {
    this.#options = options;
    this.#worker = this.#open();
  }

  get reopened(): number {
    return this.#reopened;
  }

  start(): void {
    void this.#keepRunning(this.#worker);
  }

  async track<T>(job: () => Promise<T>): Promise<T> {
    this.#hasTakenJob = true;
    this.#running += 1;
    try {
      return await job();
    } finally {
      this.#running -= 1;
    }
  }

  /** Must be called regularly to detect a hung worker. */
  check(hasReadyJobs: boolean): void {
    const { lane, log } = this.#options;
    const isActive = this.#hasTakenJob || this.#running > 0;
    this.#hasTakenJob = false;
    if (isActive) this.#checksBeforeReopen = HUNG_CHECKS;
    this.#hungChecks = hasReadyJobs && !isActive ? this.#hungChecks + 1 : 0;
    if (this.#hungChecks < this.#checksBeforeReopen || this.#stop.signal.aborted) return;
    this.#hungChecks = 0;
    this.#checksBeforeReopen = Math.min(this.#checksBeforeReopen * 2, MAX_CHECKS);
    this.#reopened += 1;
    log.warn({ lane }, 'a worker takes no jobs although some are ready; reopening it');
    const hungWorker = this.#worker;
    this.#worker = this.#open();
    this.start();
    void hungWorker.discard().catch((error) => log.debug({ err: error, lane }, 'cannot close a hung worker'));
  }

  async close(timeoutMs: number): Promise<void> {
    this.#stop.abort();
    const worker = this.#worker;
    await withTimeout(worker.close(), timeoutMs).catch(() => {
      this.#options.log.warn('a worker did not close in time');
      void worker.close(true).catch(() => undefined);
    });
  }

  #open(): SendWorker {
    const { lane, log, open } = this.#options;
    const worker = open();
    worker.on('error', (error) => log.debug({ err: error, lane }, 'a worker lost its connection to the queue'));
    return worker;
  }

  /** Restarts a worker that stops for any reason, because the process has no other worker for the lane. */
  async #keepRunning(worker: SendWorker): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let reason: unknown;
      try {
        await worker.run();
      } catch (error) {
        reason = error;
      }
      if (signal.aborted || worker !== this.#worker) return;
      this.#options.log.error({ err: reason }, 'a worker stopped; restarting it');
      await pause(RESTART_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
