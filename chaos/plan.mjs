/** The last digit of a number decides how its message ends at the carrier, so that the checker knows it in advance. */
const ENDS = { 7: 'read', 8: 'undelivered', 9: 'refused' };

/** @param {string} number digits @returns {'delivered' | 'read' | 'undelivered' | 'refused'} */
export function endOf(number) {
  return ENDS[number.at(-1)] ?? 'delivered';
}

/** Unique within a run. */
export class Numbers {
  #next = 0;

  next() {
    this.#next += 1;
    return `1415${String(2_000_000 + this.#next)}`;
  }

  that(end) {
    for (;;) {
      const number = this.next();
      if (endOf(number) === end) return number;
    }
  }
}
