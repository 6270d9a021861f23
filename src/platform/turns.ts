const SLICE_MS = 5;
/** Shorter lists are not sliced. */
const AT_ONCE = 256;
/** Items between two checks of the time. */
const CHECK_INTERVAL = 32;

export interface LongWork {
  /** Resolves at once during the current slice, otherwise in a later turn with a new slice. */
  waitForTurn(): Promise<void>;
}

/** Each event loop turn goes to one piece of work, so several pieces occupy the loop no longer than one. */
export class Turns {
  readonly #queue: (() => void)[] = [];

  startWork(): LongWork {
    let sliceEnds = 0;
    return {
      waitForTurn: async () => {
        if (performance.now() < sliceEnds) return;
        await this.#next();
        sliceEnds = performance.now() + SLICE_MS;
      },
    };
  }

  map<T, R>(items: readonly T[], map: (item: T, index: number) => R): R[] | Promise<R[]> {
    return items.length <= AT_ONCE ? items.map(map) : this.#mapLong(items, map);
  }

  async #mapLong<T, R>(items: readonly T[], map: (item: T, index: number) => R): Promise<R[]> {
    const work = this.startWork();
    const mapped: R[] = [];
    for (let index = 0; index < items.length; index += 1) {
      if (index % CHECK_INTERVAL === 0) await work.waitForTurn();
      mapped.push(map(items[index] as T, index));
    }
    return mapped;
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#queue.push(resolve) === 1) setImmediate(this.#give);
    });
  }

  readonly #give = (): void => {
    this.#queue.shift()?.();
    if (this.#queue.length > 0) setImmediate(this.#give);
  };
}
