/**
 * Creates a random number generator (mulberry32), whose seed repeats a run.
 * @param {number} seed an integer
 */
export function seededRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return {
    /** Returns a random integer from 0 to `limit - 1`. */
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)],
    /** Returns `count` random entries of the list, in random order. */
    sample: (list, count) => {
      const remaining = [...list];
      return Array.from(
        { length: Math.min(count, remaining.length) },
        () => remaining.splice(below(remaining.length), 1)[0],
      );
    },
  };
}
