import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/**
 * How long anything in a test may take before it counts as hanging, in milliseconds. No machine is this slow. Where mistakes are
 * planted on purpose, hanging is common and the limit is shorter.
 */
export const HANG_MS = Number(process.env.TEST_HANG_MS ?? 240_000);
/** How long one wait may take: less than a test, so that its failure says what was waited for. */
export const WAIT_MS = 0.75 * HANG_MS;

/**
 * Asks again and again until the answer is truthy, and returns it. An error counts as "not yet"; the last one is the
 * cause of the failure.
 * @param what named in the failure, e.g. `every message to be delivered`
 * @throws Error once `WAIT_MS` have passed
 */
export async function waitFor<T>(
  what: string,
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
      throw new Error(`waited ${WAIT_MS} ms in vain for ${what}; the last answer was ${inspect(answer)}`, {
        cause,
      });
    }
    await pause(intervalMs);
  }
}
