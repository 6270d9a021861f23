/**
 * The last digit of a number decides how a message to it ends at the carrier, so that the checker knows the end in advance. Every
 * number gets one message, unless there is a duplicate.
 */
const ENDS = { 7: 'read', 8: 'undelivered', 9: 'refused' };

/** @param {string} number digits @returns {'delivered' | 'read' | 'undelivered' | 'refused'} */
export function endOf(number) {
  return ENDS[number.at(-1)] ?? 'delivered';
}

/** Generates numbers that are unique within a run. */
export class Numbers {
  #next = 0;

  next() {
    this.#next += 1;
    return `1415${String(2_000_000 + this.#next)}`;
  }

  /** A number whose messages end this way. */
  that(end) {
    for (;;) {
      const number = this.next();
      if (endOf(number) === end) return number;
    }
  }
}
