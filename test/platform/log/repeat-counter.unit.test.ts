import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RepeatCounter } from '../../../src/platform/log/repeat-counter.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('RepeatCounter reports the count of a fault once it is over, without another call', async () => {
  const counts: [string, number][] = [];
  const repeats = new RepeatCounter({ onCount: (key, times) => counts.push([key, times]) });
  expect(repeats.isRepeated('away')).toBe(false);
  for (let turn = 0; turn < 7; turn++) expect(repeats.isRepeated('away')).toBe(true);
  expect(repeats.isRepeated('once')).toBe(false);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(counts).toEqual([]);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(counts).toEqual([['away', 7]]);
  expect(vi.getTimerCount()).toBe(0);
  expect(repeats.isRepeated('away')).toBe(false);
});

it('RepeatCounter reports the count of a continuing fault every five minutes', async () => {
  const counts: number[] = [];
  const repeats = new RepeatCounter({ onCount: (_key, times) => counts.push(times) });
  for (let second = 0; second <= 600; second++) {
    repeats.isRepeated('away');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(counts).toHaveLength(2);
  expect(counts[0]).toBeGreaterThanOrEqual(299);
});
