import { AppError } from './errors/app-error.js';
import { SHORT_SECONDS, Spread } from './metrics/spread.js';

export interface GroupCommitOptions<Item, Result> {
  /**
   * Commits one batch and answers for each item, in order: with its result, or with the Error that rejects it alone.
   * A rejection rejects every item of the batch.
   */
  commit(items: readonly Item[]): Promise<readonly (Result | Error)[]>;
  /** Rows that an item adds to a batch; one unless told. */
  weigh?(item: Item): number;
  /** A batch closes before it outgrows this weight; a heavier item commits alone. */
  batchWeight: number;
  /**
   * Total weight that may wait; beyond it `add` refuses with UNAVAILABLE. Without it there is no limit, for callers that
   * wait for what they add and are so few that this bounds the line.
   */
  waitingLimit?: number;
  /**
   * Milliseconds from the end of one commit to the start of the next, unless a whole batch waits. For commits that cost
   * far more than what they carry. What comes to an idle committer still goes at once.
   */
  pauseMs?: number;
  /** The pause is made only after a batch of at least this weight, which tells of more to come; after each unless told. */
  pauseFromWeight?: number;
  /**
   * Whether a commit failed for a reason that what waits would meet as well, and only after a while, such as a store that
   * does not answer. What has waited for a second by then is refused for the same reason, lest it wait twice as long.
   */
  endsWaiting?(error: unknown): boolean;
}

/** Borders of the weights of batches, for those who watch. */
const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 10_000];

/** Turns of the event loop for which a batch may still grow. */
const GATHER_TURNS = 16;

/** Milliseconds of waiting after which a failure that `endsWaiting` counts for what waits as well. */
const WAITED_MS = 1_000;

interface Waiting<Item, Result> {
  /** When it came, in milliseconds of the process's clock. */
  since: number;
  item: Item;
  weight: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Commits in groups: what arrives while one commit is under way waits for the next, and an idle committer commits at
 * once, so no item waits for a timer unless the options ask for a pause. One commit runs at a time, in the order of
 * arrival.
 */
export class GroupCommit<Item, Result> {
  /** Weights of the batches that were committed, and the seconds that each took. */
  readonly sizes = new Spread(SIZES);
  readonly seconds = new Spread(SHORT_SECONDS);
  readonly #options: GroupCommitOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingWeight = 0;
  /** Weight of the batch before. */
  #lastWeight = 0;
  #running: Promise<void> | null = null;
  #endPause: (() => void) | null = null;
  /** Something that waits goes at once. */
  #hurried = false;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Weight that waits for its commit to begin. */
  get waitingWeight(): number {
    return this.#waitingWeight;
  }

  /**
   * Resolves with the item's result once its batch is committed.
   * @param atOnce whether the item ends a pause, for somebody waits for it
   * @throws {AppError} UNAVAILABLE when the waiting line is full
   */
  add(item: Item, { atOnce = false } = {}): Promise<Result> {
    const { weigh, waitingLimit = Number.POSITIVE_INFINITY } = this.#options;
    const weight = weigh ? weigh(item) : 1;
    if (this.#waitingWeight > 0 && this.#waitingWeight + weight > waitingLimit) {
      return Promise.reject(new AppError('UNAVAILABLE', 'The server is overloaded; try again in a moment.'));
    }
    this.#waitingWeight += weight;
    return new Promise<Result>((resolve, reject) => {
      const since = this.#options.endsWaiting ? performance.now() : 0;
      this.#waiting.push({ since, item, weight, resolve, reject });
      this.#hurried ||= atOnce;
      if (this.#hurried || this.#waitingWeight >= this.#options.batchWeight) this.#endPause?.();
      this.#running ??= this.#run();
    });
  }

  /** Resolves once nothing waits and nothing is being committed. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      const batch = this.#takeBatch();
      const began = performance.now();
      try {
        const results = await this.#options.commit(batch.map((waiting) => waiting.item));
        for (const [index, waiting] of batch.entries()) {
          const result = results[index] as Result | Error;
          if (result instanceof Error) waiting.reject(result);
          else waiting.resolve(result);
        }
        this.#endWaiting(results.find((result) => result instanceof Error && this.#options.endsWaiting?.(result)));
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
        this.#endWaiting(error);
      }
      this.sizes.see(this.#lastWeight);
      this.seconds.see((performance.now() - began) / 1_000);
      await this.#pause();
    }
    this.#running = null;
  }

  #endWaiting(error: unknown): void {
    if (error === undefined || this.#waiting.length === 0 || !this.#options.endsWaiting?.(error)) return;
    const border = performance.now() - WAITED_MS;
    const [early, late] = [[], []] as [Waiting<Item, Result>[], Waiting<Item, Result>[]];
    for (const waiting of this.#waiting) (waiting.since <= border ? early : late).push(waiting);
    this.#waiting = late;
    for (const waiting of early) {
      this.#waitingWeight -= waiting.weight;
      waiting.reject(error);
    }
  }

  /**
   * Lets what the event loop has at hand join the batch, for a commit costs more than the wait for it: until a turn brings
   * nothing more, or half of those that come and go have come. The other half is served while this one is committed, so
   * that neither the event loop nor the store waits for the other. It takes no timer.
   */
  async #gather(): Promise<void> {
    const half = (this.#lastWeight + this.#waitingWeight) / 2;
    for (let turn = 0; turn < GATHER_TURNS; turn++) {
      const before = this.#waitingWeight;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#waitingWeight === before || this.#waitingWeight >= Math.min(half, this.#options.batchWeight)) return;
    }
  }

  async #pause(): Promise<void> {
    const { pauseMs, pauseFromWeight = 0, batchWeight } = this.#options;
    if (!pauseMs || this.#hurried || this.#lastWeight < pauseFromWeight || this.#waitingWeight >= batchWeight) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      timer = setTimeout(resolve, pauseMs);
    });
    clearTimeout(timer);
    this.#endPause = null;
  }

  #takeBatch(): Waiting<Item, Result>[] {
    let weight = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      if (count > 0 && weight + waiting.weight > this.#options.batchWeight) break;
      weight += waiting.weight;
      count += 1;
    }
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#waitingWeight -= weight;
    this.#lastWeight = weight;
    this.#hurried = this.#hurried && this.#waiting.length > 0;
    return batch;
  }
}
