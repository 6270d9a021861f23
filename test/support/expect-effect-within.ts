import { expect } from 'vitest';
import { waitFor } from './wait-for.js';

/**
 * Waits until requests follow a change. Every request that starts later than the limit must follow it. The duration of answers does
 * not count, because a busy machine may delay them.
 * @param hasEffect makes a request and returns whether it followed the change
 */
export async function expectEffectWithin(
  withinMs: number,
  description: string,
  hasEffect: () => Promise<boolean>,
): Promise<void> {
  const changedAt = performance.now();
  let lastWithoutEffect = changedAt;
  await waitFor(description, async () => {
    const requestedAt = performance.now();
    if (await hasEffect()) return true;
    lastWithoutEffect = requestedAt;
    return false;
  });
  expect(lastWithoutEffect - changedAt, `milliseconds after which ${description} was still waited for`).toBeLessThan(
    withinMs,
  );
}
