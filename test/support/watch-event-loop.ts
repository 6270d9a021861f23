import { readFileSync } from 'node:fs';

const CHECK_INTERVAL_MS = 5;

/** Measures how long the event loop blocks, in processor time where available, so that other programs do not count. */
export function watchEventLoop(): { longestMs(): number; stop(): void } {
  let longest = 0;
  let last = readProcessorMs();
  const timer = setInterval(() => {
    const now = readProcessorMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, CHECK_INTERVAL_MS);
  return { longestMs: () => longest, stop: () => clearInterval(timer) };
}

/** Reads the thread's processor time, which Linux reports in nanoseconds. */
function readProcessorMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
