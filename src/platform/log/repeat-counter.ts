/** A fault that has not occurred for this long, in milliseconds, counts as new. */
const QUIET_MS = 30_000;
/** How often the count of a continuing fault is reported, in milliseconds. */
const REMIND_MS = 300_000;

export interface RepeatCounterOptions {
  /** Called with the number of repetitions since the last report. */
  onCount(key: string, times: number): void;
  /** Called when a fault is over, after its last count was reported. */
  onForgotten?(key: string): void;
  /** Milliseconds after which a fault counts as new. Default: 30 s. */
  quietMs?: number;
  /** A monotonic clock in milliseconds. Default: `performance.now()`. */
  now?(): number;
}

interface Fault {
  lastAt: number;
  reportedAt: number;
  unreported: number;
}

/**
 * Separates new faults from repeated ones, and counts the latter. The count is reported once the fault is over, and
 * every five minutes while it continues. Does not keep the process alive.
 */
export class RepeatCounter {
  readonly #options: RepeatCounterOptions;
  readonly #quietMs: number;
  readonly #now: () => number;
  readonly #faults = new Map<string, Fault>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RepeatCounterOptions) {
    this.#options = options;
    this.#quietMs = options.quietMs ?? QUIET_MS;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Returns whether a fault occurred within the last half minute. Counts it if so. */
  isRepeated(key: string): boolean {
    const now = this.#now();
    this.#reportCounts(now);
    const fault = this.#faults.get(key);
    if (!fault) {
      this.#faults.set(key, { lastAt: now, reportedAt: now, unreported: 0 });
      return false;
    }
    fault.lastAt = now;
    fault.unreported++;
    this.#timer ??= setInterval(() => this.#reportCounts(this.#now()), this.#quietMs).unref();
    return true;
  }

  #reportCounts(now: number): void {
    for (const [key, fault] of this.#faults) {
      const isOver = now - fault.lastAt >= this.#quietMs;
      if (fault.unreported > 0 && (isOver || now - fault.reportedAt >= REMIND_MS)) {
        this.#options.onCount(key, fault.unreported);
        fault.unreported = 0;
        fault.reportedAt = now;
      }
      if (!isOver) continue;
      this.#faults.delete(key);
      this.#options.onForgotten?.(key);
    }
    if (this.#faults.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
