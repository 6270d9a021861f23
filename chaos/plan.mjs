/** How a message ends, by the last digit of its recipient, so that the checker knows it in advance. */
const ENDS = { 7: 'read', 8: 'undelivered', 9: 'refused' };

/** @param {string} number digits @returns {'delivered' | 'read' | 'undelivered' | 'refused'} */
export function getPlannedEnd(number) {
  return ENDS[number.at(-1)] ?? 'delivered';
}

/** Generates phone numbers that are unique within a run. */
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
