import { readFileSync } from 'node:fs';

const CHECK_INTERVAL_MS = 5;

/** Measures processor time where the system reports it, so that other programs on the machine do not count. */
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

/** On Linux: nanoseconds of processor time of this thread. */
function readProcessorMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
