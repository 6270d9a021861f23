import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/**
 * In milliseconds. Longer than the five minutes in which the relay finds every due message, also those whose due time an
 * overloaded machine commits too late. Runs with planted mistakes use a shorter timeout, because such mistakes often make a
 * test hang.
 */
export const HANG_MS = Number(process.env.TEST_HANG_MS ?? 480_000);
/** Shorter than a test's timeout, so that the failure says what the test waited for. */
export const WAIT_MS = 0.75 * HANG_MS;

/**
 * Repeats a query until its result is truthy, even if the query throws errors.
 * @throws Error once `WAIT_MS` have passed, with the query's last error as the cause
 */
export async function waitFor<T>(
  description: string,
  probe: () => T | Promise<T>,
  { intervalMs = 10 }: { intervalMs?: number } = {},
): Promise<Exclude<NonNullable<T>, false>> {
  const deadline = performance.now() + WAIT_MS;
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
      throw new Error(`waited ${WAIT_MS} ms in vain for ${description}; the last answer was ${inspect(answer)}`, {
        cause,
      });
    }
    await pause(intervalMs);
  }
}
