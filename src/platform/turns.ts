/** How long one piece of long work may occupy the event loop, in milliseconds. */
const SLICE_MS = 5;
/** Lists of up to this length are processed at once; that takes less than a slice. */
const AT_ONCE = 256;
/** How many items are processed between two checks of the time. */
const CHECK_INTERVAL = 32;

/** A piece of long work that runs in slices, so that other work can run in between. */
export interface LongWork {
  /** Resolves at once during the current slice, otherwise in a later turn with a new slice. */
  waitForTurn(): Promise<void>;
}

/**
 * Distributes the event loop among the pieces of long work of an application. Each turn goes to one piece, in order, so
 * that several pieces together occupy the loop no longer than one. Create one object per application.
 */
export class Turns {
  readonly #queue: (() => void)[] = [];

  /** Starts a piece of long work; its first slice starts with its first turn. */
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

  /** Maps a list like `Array.map`: a short one at once, a long one in slices. */
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

  /** Resolves in a later turn of the event loop. */
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
