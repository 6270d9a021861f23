import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withTimeout } from '../../platform/timeout.js';
import type { Lane } from '../lanes.js';
import type { SendWorker } from './backend.js';

const RESTART_PAUSE_MS = 500;

/** Looks in a row that find jobs ready, and the worker without one, after which it counts as standing. */
const STANDING_LOOKS = 5;
/** One that was opened anew in vain is opened anew again after twice as many looks, up to so many. */
const MOST_LOOKS = 150;

export interface LaneWorkerOptions {
  lane: Lane;
  log: Logger;
  open(): SendWorker;
}

/**
 * A lane's BullMQ worker in this process. It is started again when it ends by itself, and opened anew, with connections of
 * its own, when it stands: jobs lie ready in its lane, and it neither runs one nor takes any. The relay cannot help then,
 * for it hints at messages again whose lane holds no job.
 */
export class LaneWorker {
  readonly #options: LaneWorkerOptions;
  readonly #stop = new AbortController();
  #worker: SendWorker;
  #running = 0;
  #hasTaken = false;
  /** Looks that found it standing, and after how many it is opened anew. */
  #looks = 0;
  #patience = STANDING_LOOKS;
  #reopened = 0;

  constructor(options: LaneWorkerOptions) {
    this.#options = options;
    this.#worker = this.#open();
  }

  /** How often it was opened anew. */
  get reopened(): number {
    return this.#reopened;
  }

  start(): void {
    void this.#keepRunning(this.#worker);
  }

  /** To be told of each job from when it is taken until it is done. */
  async during<T>(job: () => Promise<T>): Promise<T> {
    this.#hasTaken = true;
    this.#running += 1;
    try {
      return await job();
    } finally {
      this.#running -= 1;
    }
  }

  /** To be called every now and then, with whether jobs lie ready in the lane. */
  look(areReady: boolean): void {
    const { lane, log } = this.#options;
    const works = this.#hasTaken || this.#running > 0;
    this.#hasTaken = false;
    if (works) this.#patience = STANDING_LOOKS;
    this.#looks = areReady && !works ? this.#looks + 1 : 0;
    if (this.#looks < this.#patience || this.#stop.signal.aborted) return;
    this.#looks = 0;
    this.#patience = Math.min(this.#patience * 2, MOST_LOOKS);
    this.#reopened += 1;
    log.warn({ lane }, 'a worker takes nothing although jobs are ready; it is opened anew');
    const standing = this.#worker;
    this.#worker = this.#open();
    this.start();
    void standing.discard().catch((error) => log.debug({ err: error, lane }, 'a worker that stood did not close'));
  }

  /** Takes no more jobs and waits for those that run, for so many milliseconds. */
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
    worker.on('error', (error) => log.debug({ err: error, lane }, 'a worker lost its queue'));
    return worker;
  }

  /** However a worker comes to its end while the process lives: it is started again, for its lane has no other here. */
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
      this.#options.log.error({ err: reason }, 'a worker stopped, and is started again');
      await pause(RESTART_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
