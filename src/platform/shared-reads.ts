/** Callers that arrive during a read share the next read, so no result is older than its request. */
export class SharedReads<T> {
  readonly #running = new Map<string, { read: Promise<T>; next: Promise<T> | null }>();

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
    const removeEntry = () => {
      if (entry.next === null) this.#running.delete(key);
    };
    entry.read.then(removeEntry, removeEntry);
    return entry.read;
  }
}
