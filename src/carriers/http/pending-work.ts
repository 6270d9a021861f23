import { waitForDoneOrAborted } from '../../platform/on-abort.js';

export class PendingWork {
  readonly #pending = new Set<Promise<unknown>>();

  async track<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    this.#pending.add(settled);
    try {
      return await work;
    } finally {
      this.#pending.delete(settled);
    }
  }

  /** Waits until all work is done or the signal fires. Then calls `abort`, and waits for any remaining work. */
  async finish(signal: AbortSignal, abort: () => Promise<void>): Promise<void> {
    await waitForDoneOrAborted(Promise.all(this.#pending), signal);
    await abort();
    await Promise.all(this.#pending);
  }
}
