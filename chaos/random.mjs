/**
 * Creates a random number generator with a seed (mulberry32), so that a run can be repeated.
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
    /** A random integer from 0 to `limit - 1`. */
    below,
    /** True with this probability. */
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)],
    /** `count` random entries of the list, in random order. */
    sample: (list, count) => {
      const remaining = [...list];
      return Array.from(
        { length: Math.min(count, remaining.length) },
        () => remaining.splice(below(remaining.length), 1)[0],
      );
    },
  };
}
