import { expect } from 'vitest';
import { waitFor } from './wait-for.js';

/**
 * Waits until requests go by a change that was made just now. Of every request that began later than so many milliseconds
 * after it, it is expected. How long the answers take does not count: a machine that others use too may hold up any of them.
 * @param isObeyed makes a request, and says whether it went by the change
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
