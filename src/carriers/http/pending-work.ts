import { waitForDoneOrAborted } from '../../platform/on-abort.js';

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

  /** When the work is done or the signal fires, calls `breakOff` and waits for the remaining work. */
  async finish(signal: AbortSignal, breakOff: () => Promise<void>): Promise<void> {
    await waitForDoneOrAborted(Promise.all(this.#open), signal);
    await breakOff();
    await Promise.all(this.#open);
  }
}
