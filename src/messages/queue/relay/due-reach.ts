/** A look at everything takes at most a twentieth of the time … */
const WHOLE_EVERY = 20;
/** … but there is one this often at the least: after an hour of an open snapshot it may take ten seconds. */
const WHOLE_AFTER_MS = 5 * 60_000;
/** Longer than a transaction may take that makes a message due at the moment at which it began. */
const MARGIN_MS = 5_000;

/**
 * How far back the relay looks for what is due. While somebody keeps a snapshot open, the index keeps an entry for every
 * message that was ever under way, and to pass over half a million of them takes half a second. So where looks at everything
 * are slow, those between them reach back to the last one alone. What was set to a time before that (by a process that
 * released its messages, say) is found by the next look at everything.
 *
 * All times are of `performance.now()`.
 */
export class DueReach {
  /** When the last look began that left nothing behind; null: something may be left from any time. */
  #clearSince: number | null = null;
  #wholeBegan = Number.NEGATIVE_INFINITY;
  /** How long the last two looks at everything took: dead entries slow down both, a machine that was busy for a moment one. */
  #wholeMs: readonly [number, number] = [0, 0];

  /** @returns how many milliseconds back a look reaches that begins now; null: it is at everything */
  next(now: number): number | null {
    if (this.#clearSince === null) return null;
    const pause = Math.min(Math.min(...this.#wholeMs) * WHOLE_EVERY, WHOLE_AFTER_MS);
    return now - this.#wholeBegan >= pause ? null : now - this.#clearSince + MARGIN_MS;
  }

  /**
   * Call it after a look.
   * @param look its reach by `next`, when it began and ended, and whether it found all that was due within its reach
   */
  looked({ reach, began, ended, foundAll }: { reach: number | null; began: number; ended: number; foundAll: boolean }) {
    if (foundAll) this.#clearSince = began;
    if (reach !== null) return;
    if (!foundAll) this.#clearSince = null;
    this.#wholeBegan = began;
    this.#wholeMs = [this.#wholeMs[1], ended - began];
  }
}
