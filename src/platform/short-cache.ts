import { LRUCache } from 'lru-cache';

/** Milliseconds for which a value is believed unless told. */
const LIFETIME_MS = 1000;
const MAX_VALUES = 2000;

/** Remembers what was read for a second, or longer; reads of the same key at the same time are one. */
export class ShortCache<T> {
  readonly #values: ReturnType<typeof forgetfulCache<Promise<T>>>;

  constructor({ lifetimeMs = LIFETIME_MS } = {}) {
    this.#values = forgetfulCache({ max: MAX_VALUES, lifetimeMs });
  }

  /** The value of a key, read anew when it is older than that. A failure is not remembered. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#values.get(key);
    if (known) return known;
    const value = read();
    this.#values.set(key, value);
    value.catch(() => {
      if (this.#values.peek(key) === value) this.#values.delete(key);
    });
    return value;
  }
}

/** A cache that forgets a value after a time, and of more than `max` that which nobody has asked for longest. */
export function forgetfulCache<V extends object | true>({ max, lifetimeMs }: { max: number; lifetimeMs: number }) {
  // Read at each question: a timer that keeps the time for a millisecond costs more.
  return new LRUCache<string, V>({ max, ttl: lifetimeMs, ttlResolution: 0, perf: { now: () => performance.now() } });
}
