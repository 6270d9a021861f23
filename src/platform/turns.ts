/** Milliseconds for which one piece of long work may hold the event loop. */
const SLICE_MS = 5;
/** Lists up to this length are worked off at once: that takes less than a slice. */
const AT_ONCE = 256;
/** How often the time is looked at. */
const LOOK_EVERY = 32;

const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop. However many wait, each turn goes to one of them, in the order in which they
 * came, so that several pieces of long work together hold the loop no longer than one.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}

/** The time of one piece of long work, which is done in slices so that everything else goes on between them. */
export class Turns {
  #sliceEnds = 0;

  /** Resolves at once while the slice lasts, and otherwise in a turn of its own, with a new slice. */
  async take(): Promise<void> {
    if (performance.now() < this.#sliceEnds) return;
    await nextTurn();
    this.#sliceEnds = performance.now() + SLICE_MS;
  }
}

/** Maps a list as `Array.map` does: a short one at once, a long one in slices. */
export function mapInTurns<T, R>(items: readonly T[], map: (item: T, index: number) => R): R[] | Promise<R[]> {
  return items.length <= AT_ONCE ? items.map(map) : mapLong(items, map);
}

async function mapLong<T, R>(items: readonly T[], map: (item: T, index: number) => R): Promise<R[]> {
  const turns = new Turns();
  const mapped: R[] = [];
  for (let index = 0; index < items.length; index += 1) {
    if (index % LOOK_EVERY === 0) await turns.take();
    mapped.push(map(items[index] as T, index));
  }
  return mapped;
}
