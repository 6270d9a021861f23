import { afterEach, describe, expect, it, vi } from 'vitest';
import { ShortCache } from '../../src/platform/short-cache.js';

describe('ShortCache', () => {
  afterEach(() => void vi.restoreAllMocks());
  const openCache = (lifetimeMs?: number) => {
    const cache = new ShortCache<number>({ lifetimeMs });
    let reads = 0;
    return { get: (key: string) => cache.get(key, async () => ++reads), reads: () => reads, cache };
  };

  it('merges concurrent reads of a key and reads each key separately', async () => {
    const { get, reads } = openCache();
    expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual([1, 1, 2]);
    expect(reads()).toBe(2);
  });

  it.each([
    [undefined, 1_000],
    [60_000, 60_000],
  ])('with a lifetime of %s it reads again after %i ms', async (lifetimeMs, expected) => {
    const start = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(start);
    const { get } = openCache(lifetimeMs);
    expect(await get('a')).toBe(1);
    now.mockReturnValue(start + expected - 1);
    expect(await get('a')).toBe(1);
    now.mockReturnValue(start + expected + 1);
    expect(await get('a')).toBe(2);
  });

  it('does not cache a failure, and keeps a value that was read later', async () => {
    const { cache } = openCache();
    const fail = () => Promise.reject(new Error('away'));
    await expect(cache.get('a', fail)).rejects.toThrow('away');
    expect(await cache.get('a', async () => 7)).toBe(7);
    expect(await cache.get('a', fail)).toBe(7);
  });
});
