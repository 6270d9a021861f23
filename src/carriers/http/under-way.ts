import { doneOrAborted } from '../../platform/on-abort.js';

/** What is under way with a carrier, so that closing it can wait for the end of all. */
export class UnderWay {
  readonly #open = new Set<Promise<unknown>>();

  /** Counts work as under way until it ends, however it ends. */
  async run<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    this.#open.add(settled);
    try {
      return await work;
    } finally {
      this.#open.delete(settled);
    }
  }

  /**
   * Waits for all of it, until `signal`; then breaks off what is left, and waits until that has noticed.
   * @param breakOff called in any case
   */
  async end(signal: AbortSignal, breakOff: () => Promise<void>): Promise<void> {
    await doneOrAborted(Promise.all(this.#open), signal);
    await breakOff();
    await Promise.all(this.#open);
  }
}
