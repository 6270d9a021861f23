/**
 * What becomes of a message at the carrier stands in the last digit of its number, so that a checker knows it without having
 * seen it. Every number is written to once, unless something was doubled.
 */
const ENDS = { 7: 'read', 8: 'undelivered', 9: 'refused' };

/** @param {string} number digits @returns {'delivered' | 'read' | 'undelivered' | 'refused'} */
export function endOf(number) {
  return ENDS[number.at(-1)] ?? 'delivered';
}

/** Numbers that nobody else in the run has; every one ends as its last digit says. */
export class Numbers {
  #next = 0;

  next() {
    this.#next += 1;
    return `1415${String(2_000_000 + this.#next)}`;
  }

  /** One that ends so. */
  that(end) {
    for (;;) {
      const number = this.next();
      if (endOf(number) === end) return number;
    }
  }
}
