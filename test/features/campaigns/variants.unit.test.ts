import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseWinner, dealVariants } from '../../../src/features/campaigns/variants/variants.js';

describe('the winner of a test', () => {
  it.each([
    [
      'the highest share of events wins, not the highest number',
      [
        [100, 30],
        [10, 4],
      ],
      1,
      'most',
    ],
    [
      'variant A wins a tie for the highest share, even if its own share is lower',
      [
        [10, 1],
        [10, 5],
        [20, 10],
      ],
      0,
      'tie',
    ],
    [
      'variant A wins without any events',
      [
        [10, 0],
        [10, 0],
      ],
      0,
      'no_events',
    ],
    ['variant A wins without any messages', [], 0, 'no_events'],
  ] as const)('%s', (_, counts, variant, reason) => {
    const events = counts.map(([messages, count], index) => ({ variant: index, messages, events: count }));
    expect(chooseWinner(events)).toEqual({ variant, reason });
  });
});

describe('dealing variants', () => {
  it('each variant gets its share of the members, rounded up or down', () => {
    const shares = fc
      .uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 3 })
      .map((cuts) => [0, ...cuts.sort((a, b) => a - b), 100])
      .map((cuts) => cuts.slice(1).map((cut, index) => cut - (cuts[index] as number)));
    fc.assert(
      fc.property(shares, fc.integer({ min: 0, max: 400 }), (percentages, count) => {
        const dealt = dealVariants(percentages, count);
        expect(dealt).toHaveLength(count);
        for (const [variant, share] of percentages.entries()) {
          const exact = (share * count) / 100;
          const members = dealt.filter((each) => each === variant).length;
          expect(Math.abs(members - exact)).toBeLessThan(1 + 1e-9);
        }
      }),
    );
  });

  it('the order of the variants is random', () => {
    expect(new Set(Array.from({ length: 20 }, () => dealVariants([50, 50], 100).join(''))).size).toBeGreaterThan(1);
  });
});
