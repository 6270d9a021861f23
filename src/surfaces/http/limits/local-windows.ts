import type { FastifyRateLimitStore } from '@fastify/rate-limit';

type Answer = Parameters<FastifyRateLimitStore['incr']>[1];

/** Keys that are counted at once; beyond it the one that began first is forgotten. */
const MAX_KEYS = 10_000;

/**
 * Counts requests in fixed windows in this process, for all surfaces together. The plugin's own store hands out one object per key and goes on
 * counting in it, so requests that arrive together would all be told the last one's count.
 */
export class LocalWindows implements FastifyRateLimitStore {
  readonly #windows = new Map<string, { count: number; end: number }>();
  readonly #apart: LocalWindows;

  constructor(isApart = false) {
    this.#apart = isApart ? this : new LocalWindows(true);
  }

  incr(key: string, callback: Answer, timeWindow: number): void {
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

  /** Where it is counted what whoever has no key can do: so many addresses do not make keys be forgotten. */
  child(): LocalWindows {
    return this.#apart;
  }
}
