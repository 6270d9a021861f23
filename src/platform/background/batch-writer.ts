import type { Logger } from 'pino';

const COLLECT_MS = 250;
const BATCH_SIZE = 1000;
const MAX_PAUSE_MS = 5_000;

export interface BatchWriterOptions<Entry> {
  log: Logger;
  /** For example `requests`. */
  countField: string;
  failure: string;
  /** New entries are dropped once this many are waiting. */
  maxPending: number;
  /** The write must be idempotent, because batches are retried. */
  write(batch: readonly Entry[]): Promise<void>;
}

/** Retries each batch until it is stored. */
export class BatchWriter<Entry> {
  readonly #options: BatchWriterOptions<Entry>;
  #pending: Entry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | null = null;
  #failures = 0;
  #dropped = 0;
  #closed = false;

  constructor(options: BatchWriterOptions<Entry>) {
    this.#options = options;
  }

  add(entry: Entry): void {
    if (this.#pending.length >= this.#options.maxPending) {
      this.#dropped++;
      return;
    }
    this.#pending.push(entry);
    if (this.#closed) return;
    if (this.#pending.length === BATCH_SIZE && this.#failures === 0) this.#scheduleFlush(0);
    else if (!this.#timer && !this.#flushing) this.#scheduleFlush(COLLECT_MS);
  }

  /** Stores the pending entries without retries, and logs how many were lost. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#flushing;
    await this.#flush();
    this.#logLost(this.#pending.length + this.#dropped);
  }

  #scheduleFlush(milliseconds: number): void {
    if (this.#flushing) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = null;
        if (!this.#closed && this.#pending.length > 0) this.#scheduleFlush(this.#pauseMs());
      });
    }, milliseconds);
  }

  #pauseMs(): number {
    return Math.min(COLLECT_MS * 2 ** this.#failures, MAX_PAUSE_MS);
  }

  async #flush(): Promise<void> {
    const { log, countField, failure, write } = this.#options;
    while (this.#pending.length > 0) {
      const batch = this.#pending.slice(0, BATCH_SIZE);
      try {
        await write(batch);
      } catch (error) {
        this.#failures++;
        log.warn({ err: error, [countField]: this.#pending.length }, `${failure}; retrying`);
        return;
      }
      this.#failures = 0;
      this.#pending.splice(0, batch.length);
      this.#logLost(this.#dropped);
      this.#dropped = 0;
    }
  }

  #logLost(count: number): void {
    const { log, countField, failure } = this.#options;
    if (count > 0) log.error({ [countField]: count }, failure);
  }
}
