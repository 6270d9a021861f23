import { describe, expect, it } from 'vitest';
import { DueReach } from '../../../src/messages/queue/relay/due-reach.js';

const MARGIN_MS = 5_000;

/** Looks that take so long each, at given moments. @returns the reach of each */
function reachesOf(looks: readonly { at: number; ms: number; foundAll?: boolean }[]): (number | null)[] {
  const dueReach = new DueReach();
  return looks.map(({ at, ms, foundAll = true }) => {
    const reach = dueReach.next(at);
    dueReach.looked({ reach, began: at, ended: at + ms, foundAll });
    return reach;
  });
}

describe('how far back the relay looks', () => {
  it('is everything, each time, where that is quick', () => {
    const looks = Array.from({ length: 10 }, (_, index) => ({ at: index * 500, ms: 20 }));
    expect(reachesOf(looks)).toEqual(looks.map(() => null));
  });

  it('is to the last look where everything took long twice, and everything again after twenty times as long', () => {
    const looks = [0, 500, 1_000, 1_500, 10_400, 10_500, 10_900].map((at) => ({ at, ms: 500 }));
    expect(reachesOf(looks)).toEqual([
      null,
      null,
      500 + MARGIN_MS,
      500 + MARGIN_MS,
      8_900 + MARGIN_MS,
      null,
      400 + MARGIN_MS,
    ]);
  });

  it('stays everything after one look that took long', () => {
    const looks = [
      { at: 0, ms: 5 },
      { at: 500, ms: 9_000 },
      { at: 10_000, ms: 5 },
      { at: 10_500, ms: 5 },
    ];
    expect(reachesOf(looks)).toEqual([null, null, null, null]);
  });

  it('is everything after five minutes, however long that takes', () => {
    const looks = [0, 20_000, 319_999, 320_000].map((at) => ({ at, ms: 20_000 }));
    expect(reachesOf(looks)).toEqual([null, null, 299_999 + MARGIN_MS, null]);
  });

  it('reaches back to the last look that left nothing behind', () => {
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
    expect(reachesOf(looks)).toEqual([
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
