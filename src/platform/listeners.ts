/** Calls listeners in the order in which they were added. */
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
