import { AppError } from './errors/app-error.js';
import { Histogram, SHORT_SECONDS } from './metrics/histogram.js';

export interface GroupCommitOptions<Item, Result> {
  /**
   * Commits a batch and returns one result per item, in order. A returned Error rejects only its item and a promise delays only
   * its item, but a rejection of `commit` rejects the whole batch.
   */
  commit(items: readonly Item[]): Promise<readonly (Result | Promise<Result> | Error)[]>;
  /** Returns how many rows an item adds. Default: 1. */
  weigh?(item: Item): number;
  /** Heavier items commit alone. */
  batchWeight: number;
  /** `add` rejects with UNAVAILABLE if the waiting items would weigh more than `waitingLimit`. Default: no limit. */
  waitingLimit?: number;
  /** Pause between two commits. An item that arrives while the queue is idle is committed without a pause. */
  pauseMs?: number;
  /** The pause follows only batches that weigh at least `pauseFromWeight`. */
  pauseFromWeight?: number;
  /** Whether an error should also reject the items that have already waited for a second. */
  endsWaiting?(error: unknown): boolean;
}

const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 10_000];

/** In event loop turns. */
const GATHER_TURNS = 16;

const LONG_WAIT_MS = 1_000;

interface QueuedItem<Item, Result> {
  queuedAt: number;
  item: Item;
  weight: number;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

/**
 * Commits items in batches: items that arrive during a commit wait for the next commit. Commits run one at a time, in the order
 * in which items arrived.
 */
export class GroupCommit<Item, Result> {
  readonly sizes = new Histogram(SIZES);
  readonly seconds = new Histogram(SHORT_SECONDS);
  readonly #options: GroupCommitOptions<Item, Result>;
  #queue: QueuedItem<Item, Result>[] = [];
  #waitingWeight = 0;
  #lastWeight = 0;
  #running: Promise<void> | null = null;
  #endPause: (() => void) | null = null;
  #isUrgent = false;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  get waitingWeight(): number {
    return this.#waitingWeight;
  }

  /**
   * `atOnce` ends the pause between commits, because a caller is waiting for the item. Rejects with UNAVAILABLE if the queue is
   * full.
   */
  add(item: Item, { atOnce = false } = {}): Promise<Result> {
    const { weigh, waitingLimit = Number.POSITIVE_INFINITY } = this.#options;
    const weight = weigh ? weigh(item) : 1;
    if (this.#waitingWeight > 0 && this.#waitingWeight + weight > waitingLimit) {
      return Promise.reject(new AppError('UNAVAILABLE', 'The server is overloaded; try again in a moment.'));
    }
    this.#waitingWeight += weight;
    return new Promise<Result>((resolve, reject) => {
      const queuedAt = this.#options.endsWaiting ? performance.now() : 0;
      this.#queue.push({ queuedAt, item, weight, resolve, reject });
      this.#isUrgent ||= atOnce;
      if (this.#isUrgent || this.#waitingWeight >= this.#options.batchWeight) this.#endPause?.();
      this.#running ??= this.#run();
    });
  }

  async waitUntilIdle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      const batch = this.#dequeueBatch();
      const startedAt = performance.now();
      try {
        const results = await this.#options.commit(batch.map((queued) => queued.item));
        for (const [index, queued] of batch.entries()) {
          const result = results[index] as Result | Promise<Result> | Error;
          if (result instanceof Error) queued.reject(result);
          else queued.resolve(result);
        }
        this.#rejectLongWaiting(
          results.find((result) => result instanceof Error && this.#options.endsWaiting?.(result)),
        );
      } catch (error) {
        for (const queued of batch) queued.reject(error);
        this.#rejectLongWaiting(error);
      }
      this.sizes.observe(this.#lastWeight);
      this.seconds.observe((performance.now() - startedAt) / 1_000);
      await this.#pause();
    }
    this.#running = null;
  }

  #rejectLongWaiting(error: unknown): void {
    if (error === undefined || this.#queue.length === 0 || !this.#options.endsWaiting?.(error)) return;
    const cutoff = performance.now() - LONG_WAIT_MS;
    const [longWaiting, recent] = [[], []] as [QueuedItem<Item, Result>[], QueuedItem<Item, Result>[]];
    for (const queued of this.#queue) (queued.queuedAt <= cutoff ? longWaiting : recent).push(queued);
    this.#queue = recent;
    for (const queued of longWaiting) {
      this.#waitingWeight -= queued.weight;
      queued.reject(error);
    }
  }

  /**
   * Waits for items that the event loop is about to deliver, until half of the active items have arrived. The other half
   * arrives during the commit, which keeps both the event loop and the store busy.
   */
  async #gather(): Promise<void> {
    const halfOfActive = (this.#lastWeight + this.#waitingWeight) / 2;
    for (let turn = 0; turn < GATHER_TURNS; turn++) {
      const previousWeight = this.#waitingWeight;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (
        this.#waitingWeight === previousWeight ||
        this.#waitingWeight >= Math.min(halfOfActive, this.#options.batchWeight)
      )
        return;
    }
  }

  async #pause(): Promise<void> {
    const { pauseMs, pauseFromWeight = 0, batchWeight } = this.#options;
    if (!pauseMs || this.#isUrgent || this.#lastWeight < pauseFromWeight || this.#waitingWeight >= batchWeight) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      timer = setTimeout(resolve, pauseMs);
    });
    clearTimeout(timer);
    this.#endPause = null;
  }

  #dequeueBatch(): QueuedItem<Item, Result>[] {
    let weight = 0;
    let count = 0;
    for (const queued of this.#queue) {
      if (count > 0 && weight + queued.weight > this.#options.batchWeight) break;
      weight += queued.weight;
      count += 1;
    }
    const batch = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    this.#waitingWeight -= weight;
    this.#lastWeight = weight;
    this.#isUrgent = this.#isUrgent && this.#queue.length > 0;
    return batch;
  }
}
