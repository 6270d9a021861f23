import { LRUCache } from 'lru-cache';

/** Default lifetime of a value in milliseconds. */
const LIFETIME_MS = 1000;
const MAX_VALUES = 2000;

/** Caches values for a second, or longer; concurrent reads of the same key are merged. */
export class ShortCache<T> {
  readonly #values: ReturnType<typeof createExpiringCache<Promise<T>>>;

  constructor({ lifetimeMs = LIFETIME_MS } = {}) {
    this.#values = createExpiringCache({ max: MAX_VALUES, lifetimeMs });
  }

  /** Returns the value of a key, reading it if it is missing or expired. Failures are not cached. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const cached = this.#values.get(key);
    if (cached) return cached;
    const value = read();
    this.#values.set(key, value);
    value.catch(() => {
      if (this.#values.peek(key) === value) this.#values.delete(key);
    });
    return value;
  }
}

/** Creates a cache whose values expire, and which evicts the least recently used of more than `max`. */
export function createExpiringCache<V extends object | true>({ max, lifetimeMs }: { max: number; lifetimeMs: number }) {
  // Read the clock on each access: lru-cache's timer, which caches the time for a millisecond, costs more.
  return new LRUCache<string, V>({ max, ttl: lifetimeMs, ttlResolution: 0, perf: { now: () => performance.now() } });
}
