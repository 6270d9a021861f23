/**
 * Merges concurrent reads of the same key. Requests that arrive during a read share one that starts after it. A flood
 * of requests thus costs one read per round trip, and yet every result is from a read that started after its request,
 * so it includes all earlier changes by other processes.
 */
export class SharedReads<T> {
  readonly #running = new Map<string, { read: Promise<T>; next: Promise<T> | null }>();

  /** Returns the value of a key, from a read that starts now or later. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const current = this.#running.get(key);
    if (!current) return this.#start(key, read);
    current.next ??= current.read.then(
      () => this.#start(key, read),
      () => this.#start(key, read),
    );
    return current.next;
  }

  #start(key: string, read: () => Promise<T>): Promise<T> {
    const entry = { read: read(), next: null };
    this.#running.set(key, entry);
    const end = () => {
      if (entry.next === null) this.#running.delete(key);
    };
    entry.read.then(end, end);
    return entry.read;
  }
}
