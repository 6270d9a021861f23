/** After so many milliseconds without it, a fault is told again as if it were new. */
const QUIET_MS = 30_000;
/** How often a fault that goes on is told of, in milliseconds. */
const REMIND_MS = 300_000;

export interface RepeatsOptions {
  /** Tells how often a fault came since it was told of last, beside that time. */
  onCount(key: string, times: number): void;
  /** A fault that was over is forgotten; it is called after its count was told. */
  onForgotten?(key: string): void;
  /** Milliseconds without it after which a fault is new again; half a minute unless told. */
  quietMs?: number;
  /** Milliseconds of a clock that never goes back; the process's own unless told. */
  now?(): number;
}

interface Fault {
  lastAt: number;
  toldAt: number;
  untold: number;
}

/**
 * Tells new faults from repeated ones, and counts these. The count is told once the fault is over, and every five minutes
 * while it goes on. Holds no process open.
 */
export class Repeats {
  readonly #options: RepeatsOptions;
  readonly #quietMs: number;
  readonly #now: () => number;
  readonly #faults = new Map<string, Fault>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RepeatsOptions) {
    this.#options = options;
    this.#quietMs = options.quietMs ?? QUIET_MS;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether a fault came within the last half minute already; then it is counted. */
  isRepeated(key: string): boolean {
    const now = this.#now();
    this.#tell(now);
    const fault = this.#faults.get(key);
    if (!fault) {
      this.#faults.set(key, { lastAt: now, toldAt: now, untold: 0 });
      return false;
    }
    fault.lastAt = now;
    fault.untold++;
    this.#timer ??= setInterval(() => this.#tell(this.#now()), this.#quietMs).unref();
    return true;
  }

  #tell(now: number): void {
    for (const [key, fault] of this.#faults) {
      const isOver = now - fault.lastAt >= this.#quietMs;
      if (fault.untold > 0 && (isOver || now - fault.toldAt >= REMIND_MS)) {
        this.#options.onCount(key, fault.untold);
        fault.untold = 0;
        fault.toldAt = now;
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
