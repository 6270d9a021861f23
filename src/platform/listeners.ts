/**
 * Notifies listeners of events, in the order in which they were added. The source does not know its listeners, so it
 * can be created first, even if both depend on each other.
 */
export class Listeners<T> {
  readonly #listeners: ((event: T) => void)[] = [];

  /** @param listener must not throw */
  add(listener: (event: T) => void): void {
    this.#listeners.push(listener);
  }

  notify(event: T): void {
    for (const listener of this.#listeners) listener(event);
  }
}
