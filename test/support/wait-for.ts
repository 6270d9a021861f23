import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/**
 * Asks again and again until the answer is truthy, and returns it. An error counts as "not yet"; the last one is the
 * cause of the failure.
 * @param what named in the failure, e.g. `every message to be delivered`
 * @throws Error once `timeoutMs` (20 s, for the slowest of machines) have passed
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 20_000, intervalMs = 10 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Exclude<NonNullable<T>, false>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let answer: T | undefined;
    let cause: unknown;
    try {
      answer = await probe();
    } catch (error) {
      cause = error;
    }
    if (answer) return answer as Exclude<NonNullable<T>, false>;
    if (performance.now() >= deadline) {
      throw new Error(`waited ${timeoutMs} ms in vain for ${what}; the last answer was ${inspect(answer)}`, {
        cause,
      });
    }
    await pause(intervalMs);
  }
}
