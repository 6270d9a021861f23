import type { Logger } from 'pino';
import { withTimeout } from '../../platform/timeout.js';
import type { QueueBackend, SendWorker } from './backend.js';
import { LANES, type Lane } from './lanes.js';
import { unpackIds } from './packed-ids.js';

export interface WorkersOptions {
  backend: QueueBackend;
  log: Logger;
  /** Jobs at once in each lane. */
  concurrency: number;
  /** Sends the messages of one job. */
  send(ids: readonly string[], lane: Lane, signal: AbortSignal): Promise<void>;
}

/** The BullMQ workers of this process, one per lane. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #workers: SendWorker[];
  readonly #stop = new AbortController();

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#workers = LANES.map((lane) => {
      const worker = options.backend.openWorker(lane, {
        concurrency: options.concurrency,
        process: (job) => this.#process(unpackIds(job.data.ids), lane),
      });
      worker.on('error', (error) => options.log.debug({ err: error, lane }, 'a worker lost its queue'));
      return worker;
    });
  }

  start(): void {
    for (const worker of this.#workers) {
      worker.run().catch((error) => {
        if (!this.#stop.signal.aborted) this.#options.log.error({ err: error }, 'a worker stopped');
      });
    }
  }

  /**
   * Takes no more jobs, lets the running ones write down what they sent, and gives the rest back.
   * @param timeoutMs after which connections are cut: `close` alone waits for a Redis that is away
   */
  async close(timeoutMs: number): Promise<void> {
    this.#stop.abort();
    await Promise.all(
      this.#workers.map(async (worker) => {
        await withTimeout(worker.close(), timeoutMs).catch(() => {
          this.#options.log.warn('a worker did not close in time');
          void worker.close(true).catch(() => undefined);
        });
      }),
    );
  }

  async #process(ids: readonly string[], lane: Lane): Promise<void> {
    try {
      await this.#options.send(ids, lane, this.#stop.signal);
    } catch (error) {
      // The job is done with either way: what it did not settle, the relay finds by its lease.
      this.#options.log.warn({ err: error, messages: ids.length }, 'a job failed; the relay takes its messages up');
    }
  }
}
