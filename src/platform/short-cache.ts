import { LRUCache } from 'lru-cache';

const LIFETIME_MS = 1000;
const MAX_VALUES = 2000;

/** Caches values briefly and merges concurrent reads of the same key. */
export class ShortCache<T> {
  readonly #values: ReturnType<typeof createExpiringCache<Promise<T>>>;

  constructor({ lifetimeMs = LIFETIME_MS } = {}) {
    this.#values = createExpiringCache({ max: MAX_VALUES, lifetimeMs });
  }

  /** Failures are not cached. */
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

export function createExpiringCache<V extends object | true>({ max, lifetimeMs }: { max: number; lifetimeMs: number }) {
  // lru-cache's own timer costs more than reading the clock on each access.
  return new LRUCache<string, V>({ max, ttl: lifetimeMs, ttlResolution: 0, perf: { now: () => performance.now() } });
}
