import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Turns } from '../../src/platform/turns.js';

async function takeTurn(turns: Turns, name: string, order: string[]): Promise<void> {
  await turns.startWork().waitForTurn();
  order.push(name);
}

describe('Turns', () => {
  it('gives each turn to one piece of work, in order', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const work = ['a', 'b', 'c'].map((name) => takeTurn(turns, name, order));
    const snapshots: string[][] = [];
    for (let count = 0; count < 3; count += 1) {
      await turn();
      snapshots.push([...order]);
    }
    await Promise.all(work);
    expect(snapshots).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c']]);
  });

  it('is independent of other applications', async () => {
    const order: string[] = [];
    const [first, second] = [new Turns(), new Turns()];
    const work = [takeTurn(first, 'a', order), takeTurn(first, 'b', order), takeTurn(second, 'of another', order)];
    await turn();
    expect(order).toEqual(['a', 'of another']);
    await Promise.all(work);
  });

  describe('by elapsed time', () => {
    beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
    afterEach(() => vi.useRealTimers());

    it('does not wait within a slice', async () => {
      const work = new Turns().startWork();
      await work.waitForTurn();
      let isLater = false;
      setImmediate(() => {
        isLater = true;
      });
      vi.advanceTimersByTime(4);
      await work.waitForTurn();
      expect(isLater).toBe(false);
      vi.advanceTimersByTime(1);
      await work.waitForTurn();
      expect(isLater).toBe(true);
    });

    it('maps a short list at once, and a long one in turn with other work', async () => {
      const turns = new Turns();
      expect(turns.map([1, 2, 3], (item, index) => item * index)).toEqual([0, 2, 6]);
      const long = Array.from({ length: 257 }, (_, index) => index);
      const order: string[] = [];
      const mapping = turns.map(long, (item) => {
        vi.advanceTimersByTime(1);
        return item + 1;
      });
      const otherWork = takeTurn(turns, 'other', order);
      const mapped = await mapping;
      order.push('mapped');
      await otherWork;
      expect(mapped).toEqual(long.map((item) => item + 1));
      expect(order).toEqual(['other', 'mapped']);
    });
  });
});
