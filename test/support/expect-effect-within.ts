import { expect } from 'vitest';
import { waitFor } from './wait-for.js';

/**
 * Calls `hasEffect` until a change has taken effect, and fails if a call that started after the limit saw no effect. The limit
 * applies to the start of requests, because a busy machine may delay responses.
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
