import { onAbort } from '../../platform/on-abort.js';

/** A semaphore that serves callers in order of arrival. */
export class Slots {
  readonly size: number;
  readonly #waiting = new Set<(isAcquired: boolean) => void>();
  #inUse = 0;

  constructor(size: number) {
    this.size = size;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Waits for a free slot, and resolves to false if the signal fires first. */
  acquire(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#inUse < this.size) {
      this.#inUse += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const settle = (isAcquired: boolean) => {
        this.#waiting.delete(settle);
        removeListener();
        resolve(isAcquired);
      };
      const stop = () => settle(false);
      const removeListener = onAbort(signal, stop);
      this.#waiting.add(settle);
    });
  }

  release(): void {
    const [next] = this.#waiting;
    if (next) next(true);
    else this.#inUse -= 1;
  }
}
