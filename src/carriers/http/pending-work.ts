import { doneOrAborted } from '../../platform/on-abort.js';

/** Tracks a carrier's pending work, so that closing the carrier can wait for it. */
export class PendingWork {
  readonly #open = new Set<Promise<unknown>>();

  /** Tracks a promise until it settles. */
  async track<T>(work: Promise<T>): Promise<T> {
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
   * Waits for all pending work until the signal fires, then calls `breakOff` (in any case) and waits until the rest has
   * settled.
   */
  async finish(signal: AbortSignal, breakOff: () => Promise<void>): Promise<void> {
    await doneOrAborted(Promise.all(this.#open), signal);
    await breakOff();
    await Promise.all(this.#open);
  }
}
