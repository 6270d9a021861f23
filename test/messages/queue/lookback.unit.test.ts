import { describe, expect, it } from 'vitest';
import { RelayLookback } from '../../../src/messages/queue/relay/lookback.js';

const MARGIN_MS = 5_000;

function listReaches(looks: readonly { at: number; ms: number; foundAll?: boolean }[]): (number | null)[] {
  const dueReach = new RelayLookback();
  return looks.map(({ at, ms, foundAll = true }) => {
    const reach = dueReach.chooseReach(at);
    dueReach.recordScan({ reach, startedAt: at, endedAt: at + ms, foundAll });
    return reach;
  });
}

describe("the relay's lookback", () => {
  it('every look is full while full looks are fast', () => {
    const looks = Array.from({ length: 10 }, (_, index) => ({ at: index * 500, ms: 20 }));
    expect(listReaches(looks)).toEqual(looks.map(() => null));
  });

  it('looks are limited after two slow full looks, and full again after twenty times their duration', () => {
    const looks = [0, 500, 1_000, 1_500, 10_400, 10_500, 10_900].map((startMs) => ({ at: startMs, ms: 500 }));
    expect(listReaches(looks)).toEqual([
      null,
      null,
      500 + MARGIN_MS,
      500 + MARGIN_MS,
      8_900 + MARGIN_MS,
      null,
      400 + MARGIN_MS,
    ]);
  });

  it('looks stay full after a single slow one', () => {
    const looks = [
      { at: 0, ms: 5 },
      { at: 500, ms: 9_000 },
      { at: 10_000, ms: 5 },
      { at: 10_500, ms: 5 },
    ];
    expect(listReaches(looks)).toEqual([null, null, null, null]);
  });

  it('a full look happens at least every five minutes', () => {
    const looks = [0, 20_000, 319_999, 320_000].map((startMs) => ({ at: startMs, ms: 20_000 }));
    expect(listReaches(looks)).toEqual([null, null, 299_999 + MARGIN_MS, null]);
  });

  it('a limited look reaches back to the last look that found everything', () => {
    const looks = [
      { at: 0, ms: 500 },
      { at: 500, ms: 500, foundAll: false },
      { at: 1_000, ms: 500, foundAll: false },
      { at: 1_500, ms: 500 },
      { at: 2_000, ms: 10, foundAll: false },
      { at: 2_010, ms: 10, foundAll: false },
      { at: 2_020, ms: 10 },
      { at: 2_500, ms: 10 },
    ];
    expect(listReaches(looks)).toEqual([
      null,
      null,
      null,
      null,
      500 + MARGIN_MS,
      510 + MARGIN_MS,
      520 + MARGIN_MS,
      480 + MARGIN_MS,
    ]);
  });
});
