const SLICE_MS = 5;
const UNSLICED_LENGTH = 256;
/** Items per clock check. */
const CHECK_INTERVAL = 32;

export interface LongWork {
  /** Resolves immediately during the current time slice, and otherwise when a new slice starts. */
  waitForTurn(): Promise<void>;
}

/**
 * Runs at most one slice of long work per event loop iteration, so that several tasks block the loop no longer than one task.
 */
export class Turns {
  readonly #queue: (() => void)[] = [];

  startWork(): LongWork {
    let sliceEndsAt = 0;
    return {
      waitForTurn: async () => {
        if (performance.now() < sliceEndsAt) return;
        await this.#waitInQueue();
        sliceEndsAt = performance.now() + SLICE_MS;
      },
    };
  }

  map<T, R>(items: readonly T[], map: (item: T, index: number) => R): R[] | Promise<R[]> {
    return items.length <= UNSLICED_LENGTH ? items.map(map) : this.#mapLong(items, map);
  }

  async #mapLong<T, R>(items: readonly T[], map: (item: T, index: number) => R): Promise<R[]> {
    const work = this.startWork();
    const results: R[] = [];
    for (let index = 0; index < items.length; index += 1) {
      if (index % CHECK_INTERVAL === 0) await work.waitForTurn();
      results.push(map(items[index] as T, index));
    }
    return results;
  }

  #waitInQueue(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#queue.push(resolve) === 1) setImmediate(this.#resolveNext);
    });
  }

  readonly #resolveNext = (): void => {
    this.#queue.shift()?.();
    if (this.#queue.length > 0) setImmediate(this.#resolveNext);
  };
}
