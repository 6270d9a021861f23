/** Milliseconds for which one piece of long work may hold the event loop. */
const SLICE_MS = 5;
/** Lists up to this length are worked off at once: that takes less than a slice. */
const AT_ONCE = 256;
/** How often the time is looked at. */
const LOOK_EVERY = 32;

/** One piece of long work, which is done in slices so that everything else goes on between them. */
export interface LongWork {
  /** Resolves at once while the slice lasts, and otherwise in a turn of its own, with a new slice. */
  take(): Promise<void>;
}

/**
 * The turns of the event loop that the long work of an application gets. However many pieces wait, each turn goes to one of
 * them, in the order in which they came, so that several together hold the loop no longer than one. That holds among those
 * of one object, so an application has one, which whoever builds it makes.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Begins a piece of long work; its first slice begins with the first turn that it takes. */
  begin(): LongWork {
    let sliceEnds = 0;
    return {
      take: async () => {
        if (performance.now() < sliceEnds) return;
        await this.#next();
        sliceEnds = performance.now() + SLICE_MS;
      },
    };
  }

  /** Maps a list as `Array.map` does: a short one at once, a long one in slices. */
  map<T, R>(items: readonly T[], map: (item: T, index: number) => R): R[] | Promise<R[]> {
    return items.length <= AT_ONCE ? items.map(map) : this.#mapLong(items, map);
  }

  async #mapLong<T, R>(items: readonly T[], map: (item: T, index: number) => R): Promise<R[]> {
    const work = this.begin();
    const mapped: R[] = [];
    for (let index = 0; index < items.length; index += 1) {
      if (index % LOOK_EVERY === 0) await work.take();
      mapped.push(map(items[index] as T, index));
    }
    return mapped;
  }

  /** Resolves in a later turn of the event loop. */
  #next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#give);
    });
  }

  readonly #give = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#give);
  };
}
