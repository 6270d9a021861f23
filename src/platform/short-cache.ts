/** Milliseconds for which a value is believed. */
const LIFETIME_MS = 1000;
const MAX_VALUES = 2000;

/** Remembers what was read for a second; reads of the same key at the same time are one. */
export class ShortCache<T> {
  readonly #entries = new Map<string, { value: Promise<T>; readAt: number }>();

  /** The value of a key, read anew when it is older than a second. A failure is not remembered. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const entry = this.#entries.get(key);
    if (entry && now - entry.readAt < LIFETIME_MS) return entry.value;
    const value = read();
    this.#entries.delete(key);
    if (this.#entries.size >= MAX_VALUES) this.#entries.delete(this.#entries.keys().next().value as string);
    this.#entries.set(key, { value, readAt: now });
    value.catch(() => {
      if (this.#entries.get(key)?.value === value) this.#entries.delete(key);
    });
    return value;
  }
}
