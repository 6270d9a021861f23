/** Full scans take at most one twentieth of the time … */
const WHOLE_EVERY = 20;
/** … but happen at least this often. */
const WHOLE_AFTER_MS = 5 * 60_000;
/** Longer than any transaction that makes a message due as of its own start. */
const MARGIN_MS = 5_000;

/**
 * Decides how far back the relay looks for due messages. While a snapshot stays open, the index keeps an entry for
 * every message that was ever open, so full scans are slow. The scans in between then go back only to the previous
 * scan. Messages with an earlier due time, such as those released by another process, wait for the next full scan.
 *
 * All times are from `performance.now()`.
 */
export class RelayLookback {
  /** Null: due messages from any time may be left. */
  #clearSince: number | null = null;
  #wholeBegan = Number.NEGATIVE_INFINITY;
  /**
   * The durations of the last two full scans. Dead entries slow down both; a short spike of load slows down only one.
   */
  #wholeMs: readonly [number, number] = [0, 0];

  /** @returns how many milliseconds back a scan starting now should go; null: a full scan */
  next(now: number): number | null {
    if (this.#clearSince === null) return null;
    const pause = Math.min(Math.min(...this.#wholeMs) * WHOLE_EVERY, WHOLE_AFTER_MS);
    return now - this.#wholeBegan >= pause ? null : now - this.#clearSince + MARGIN_MS;
  }

  /**
   * @param scan the reach from `chooseReach`, the start and end, and whether the scan found everything due within its
   * reach
   */
  looked({ reach, began, ended, foundAll }: { reach: number | null; began: number; ended: number; foundAll: boolean }) {
    if (foundAll) this.#clearSince = began;
    if (reach !== null) return;
    if (!foundAll) this.#clearSince = null;
    this.#wholeBegan = began;
    this.#wholeMs = [this.#wholeMs[1], ended - began];
  }
}
