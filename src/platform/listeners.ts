/**
 * Tells others of what happened, in the order in which they asked to be told. What is told does not know who listens, so
 * it can be made first, and none of two that depend on each other must wait for the other.
 */
export class Listeners<T> {
  readonly #listeners: ((event: T) => void)[] = [];

  /** @param listener must not throw */
  add(listener: (event: T) => void): void {
    this.#listeners.push(listener);
  }

  tell(event: T): void {
    for (const listener of this.#listeners) listener(event);
  }
}
