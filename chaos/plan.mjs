/** The last digit of a recipient determines how its message ends, so that the checker knows the expected status. */
const ENDS = { 7: 'read', 8: 'undelivered', 9: 'refused' };

/** @param {string} number digits @returns {'delivered' | 'read' | 'undelivered' | 'refused'} */
export function getPlannedEnd(number) {
  return ENDS[number.at(-1)] ?? 'delivered';
}

export class Numbers {
  #next = 0;

  next() {
    this.#next += 1;
    return `1415${String(2_000_000 + this.#next)}`;
  }

  nextWithEnd(end) {
    for (;;) {
      const number = this.next();
      if (getPlannedEnd(number) === end) return number;
    }
  }
}
