import type { Logger } from 'pino';

/** Milliseconds that an entry waits for others before it is stored. */
const COLLECT_MS = 250;
/** Entries that one statement stores; as many waiting ones are stored at once. */
const BATCH_SIZE = 1000;
const MAX_PAUSE_MS = 5_000;

export interface BatchLogOptions<Entry> {
  log: Logger;
  /** What its entries are, as the name of a field of the server's log, e.g. `requests`. */
  entries: string;
  /** What the server's log says of those that are lost, e.g. `requests could not be counted`. */
  failure: string;
  /** Entries that may wait; past it the store has been away for long, and the newest are lost. */
  mostWaiting: number;
  /** Stores entries in one statement; storing them again must change nothing. */
  write(batch: readonly Entry[]): Promise<void>;
}

/**
 * Collects entries and stores them in batches beside the work that they tell of, which waits for none of them. A batch that
 * cannot be stored is tried again until it is.
 */
export class BatchLog<Entry> {
  readonly #options: BatchLogOptions<Entry>;
  #waiting: Entry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | null = null;
  #failures = 0;
  #dropped = 0;
  #closed = false;

  constructor(options: BatchLogOptions<Entry>) {
    this.#options = options;
  }

  /** Takes an entry; it is visible within a second. */
  add(entry: Entry): void {
    if (this.#waiting.length >= this.#options.mostWaiting) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(entry);
    if (this.#closed) return;
    if (this.#waiting.length === BATCH_SIZE && this.#failures === 0) this.#flushSoon(0);
    else if (!this.#timer && !this.#flushing) this.#flushSoon(COLLECT_MS);
  }

  /** Stores what waits; after one failure it gives up, and says how much was lost. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#flushing;
    await this.#flush();
    this.#tellLost(this.#waiting.length + this.#dropped);
  }

  #flushSoon(milliseconds: number): void {
    if (this.#flushing) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = null;
        if (!this.#closed && this.#waiting.length > 0) this.#flushSoon(this.#pauseMs());
      });
    }, milliseconds);
  }

  #pauseMs(): number {
    return Math.min(COLLECT_MS * 2 ** this.#failures, MAX_PAUSE_MS);
  }

  /** Stores batch by batch until nothing waits or one fails. */
  async #flush(): Promise<void> {
    const { log, entries, failure, write } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH_SIZE);
      try {
        await write(batch);
      } catch (error) {
        this.#failures++;
        log.warn({ err: error, [entries]: this.#waiting.length }, `${failure} yet`);
        return;
      }
      this.#failures = 0;
      this.#waiting.splice(0, batch.length);
      this.#tellLost(this.#dropped);
      this.#dropped = 0;
    }
  }

  #tellLost(count: number): void {
    const { log, entries, failure } = this.#options;
    if (count > 0) log.error({ [entries]: count }, failure);
  }
}
