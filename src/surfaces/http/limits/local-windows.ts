import type { FastifyRateLimitStore } from '@fastify/rate-limit';

type IncrementCallback = Parameters<FastifyRateLimitStore['incr']>[1];

/** Beyond this number the oldest window is dropped. */
const MAX_KEYS = 10_000;

/** Replaces the plugin's store, which returns one mutable object per key: concurrent requests would all see the last count. */
export class LocalWindows implements FastifyRateLimitStore {
  readonly #windows = new Map<string, { count: number; end: number }>();
  /** Separate, so that failures from many addresses cannot push out the windows of keys. */
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
