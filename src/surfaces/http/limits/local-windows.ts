import type { FastifyRateLimitStore } from '@fastify/rate-limit';

type IncrementCallback = Parameters<FastifyRateLimitStore['incr']>[1];

/** If there are more windows than this, the oldest window is dropped. */
const MAX_KEYS = 10_000;

/**
 * Replaces the rate limit plugin's own store, because that store would report only the last count to concurrent requests with
 * the same key.
 */
export class LocalWindows implements FastifyRateLimitStore {
  readonly #windows = new Map<string, { count: number; end: number }>();
  /** Failures have their own windows, so that failures from many addresses cannot push out the windows of keys. */
  readonly #failures: LocalWindows;

  constructor(isForFailures = false) {
    this.#failures = isForFailures ? this : new LocalWindows(true);
  }

  incr(key: string, callback: IncrementCallback, timeWindow: number): void {
    const now = performance.now();
    let window = this.#windows.get(key);
    if (!window || window.end <= now) {
      this.#windows.delete(key);
      if (this.#windows.size >= MAX_KEYS) this.#windows.delete(this.#windows.keys().next().value as string);
      window = { count: 0, end: now + timeWindow };
      this.#windows.set(key, window);
    }
    window.count++;
    callback(null, { current: window.count, ttl: window.end - now });
  }

  child(): LocalWindows {
    return this.#failures;
  }
}
