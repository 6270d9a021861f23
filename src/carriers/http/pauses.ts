import { type BackoffOptions, backoffMs } from '../../platform/background/backoff.js';

const CLEANUP_SIZE = 10_000;
/** If a key has had no pause for this time, its backoff starts over. */
const FORGET_AFTER_MS = 10 * 60_000;

interface Pause {
  /** By `performance.now()`. */
  until: number;
  /** Consecutive pauses. */
  count: number;
}

/** Consecutive pauses get longer. */
export class Pauses {
  readonly #options: BackoffOptions;
  readonly #pauses = new Map<string, Pause>();

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  remainingMs(key: string): number {
    const pause = this.#pauses.get(key);
    return pause ? Math.max(0, pause.until - performance.now()) : 0;
  }

  /**
   * Starts a pause of at least `requestedMs`, and returns the remaining milliseconds. If several concurrent sends fail, only
   * the first failure makes the backoff longer.
   */
  start(key: string, requestedMs: number | null): number {
    const now = performance.now();
    const previous = this.#pauses.get(key);
    const isActive = previous !== undefined && previous.until > now;
    const count = (previous?.count ?? 0) + (isActive ? 0 : 1);
    const backoffUntil = isActive ? previous.until : now + backoffMs(count, this.#options);
    const until = Math.max(backoffUntil, now + (requestedMs ?? 0));
    this.#pauses.set(key, { until, count });
    if (this.#pauses.size > CLEANUP_SIZE) this.#forgetOld(now);
    return until - now;
  }

  reset(key: string): void {
    if (this.#pauses.size > 0 && this.remainingMs(key) === 0) this.#pauses.delete(key);
  }

  #forgetOld(now: number): void {
    for (const [key, { until }] of this.#pauses) if (until + FORGET_AFTER_MS < now) this.#pauses.delete(key);
  }
}
