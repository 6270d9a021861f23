import { doneOrAborted } from '../../platform/on-abort.js';

/** Closing a carrier waits for it. */
export class PendingWork {
  readonly #open = new Set<Promise<unknown>>();

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

  /** Waits until the work is done or the signal fires. Then calls `breakOff` (in any case) and waits for the rest. */
  async finish(signal: AbortSignal, breakOff: () => Promise<void>): Promise<void> {
    await doneOrAborted(Promise.all(this.#open), signal);
    await breakOff();
    await Promise.all(this.#open);
  }
}
