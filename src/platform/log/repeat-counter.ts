const QUIET_MS = 30_000;
const REMIND_MS = 300_000;

export interface RepeatCounterOptions {
  onCount(key: string, times: number): void;
  onForgotten?(key: string): void;
  /** A fault counts as new after `quietMs` without a repetition. Default: 30 s. */
  quietMs?: number;
  /** Monotonic, in milliseconds. Default: `performance.now()`. */
  now?(): number;
}

interface Fault {
  lastAt: number;
  reportedAt: number;
  unreported: number;
}

/** Reports how often a fault was repeated, once it is over and every five minutes while it continues. */
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

  /** Returns whether the fault has occurred recently, and counts the repetition. */
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
