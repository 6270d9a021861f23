import { readFileSync } from 'node:fs';

/** How often the loop is looked at. */
const LOOK_EVERY_MS = 5;

/**
 * Watches how long the event loop is held without a turn, in milliseconds of the processor: on a machine that others use
 * as well, the time of a clock would measure those. Where the system does not tell, it is the time of a clock.
 */
export function watchLoop(): { longestMs(): number; stop(): void } {
  let longest = 0;
  let last = usedMs();
  const timer = setInterval(() => {
    const now = usedMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, LOOK_EVERY_MS);
  return { longestMs: () => longest, stop: () => clearInterval(timer) };
}

/** Linux: nanoseconds that this thread has run. */
function usedMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
