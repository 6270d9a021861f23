import { expect } from 'vitest';
import { waitFor } from './wait-for.js';

/**
 * Waits until requests follow a change. Every request that starts later than the limit must follow it. The duration of answers does
 * not count, because a busy machine may delay them.
 * @param isObeyed makes a request and returns whether it followed the change
 */
export async function expectObeyedWithin(
  withinMs: number,
  what: string,
  isObeyed: () => Promise<boolean>,
): Promise<void> {
  const changedAt = performance.now();
  let lastInVain = changedAt;
  await waitFor(what, async () => {
    const askedAt = performance.now();
    if (await isObeyed()) return true;
    lastInVain = askedAt;
    return false;
  });
  expect(lastInVain - changedAt, `milliseconds after which ${what} was still waited for`).toBeLessThan(withinMs);
}
