import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** In milliseconds. Planted mistakes often make a test hang, so runs with them use a shorter limit. */
export const HANG_MS = Number(process.env.TEST_HANG_MS ?? 240_000);
/** Less than the timeout of a test, so that the failure says what the test waited for. */
export const WAIT_MS = 0.75 * HANG_MS;

/**
 * Repeats a query until its result is truthy. An error counts as "not yet"; the last one is the cause of the failure.
 * @param description named in the failure, e.g. `every message to be delivered`
 * @throws Error once `WAIT_MS` have passed
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
