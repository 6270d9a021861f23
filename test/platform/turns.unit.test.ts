import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Turns } from '../../src/platform/turns.js';

/** Takes a turn as a new piece of long work, and notes its name when it has it. */
async function take(turns: Turns, name: string, had: string[]): Promise<void> {
  await turns.begin().take();
  had.push(name);
}

describe('the turns of long work', () => {
  it('go to one piece each, in the order in which they came', async () => {
    const turns = new Turns();
    const had: string[] = [];
    const all = ['a', 'b', 'c'].map((name) => take(turns, name, had));
    const seen: string[][] = [];
    for (let count = 0; count < 3; count += 1) {
      await turn();
      seen.push([...had]);
    }
    await Promise.all(all);
    expect(seen).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c']]);
  });

  it('are those of one application: the work of another does not wait for them', async () => {
    const had: string[] = [];
    const [one, other] = [new Turns(), new Turns()];
    const all = [take(one, 'a', had), take(one, 'b', had), take(other, 'of another', had)];
    await turn();
    expect(had).toEqual(['a', 'of another']);
    await Promise.all(all);
  });

  describe('by the time that they took', () => {
    beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
    afterEach(() => vi.useRealTimers());

    it('last for a slice: within it nothing waits', async () => {
      const work = new Turns().begin();
      await work.take();
      let isLater = false;
      setImmediate(() => {
        isLater = true;
      });
      vi.advanceTimersByTime(4);
      await work.take();
      expect(isLater).toBe(false);
      vi.advanceTimersByTime(1);
      await work.take();
      expect(isLater).toBe(true);
    });

    it('map a short list at once, and a long one while others have theirs', async () => {
      const turns = new Turns();
      expect(turns.map([1, 2, 3], (item, index) => item * index)).toEqual([0, 2, 6]);
      const long = Array.from({ length: 257 }, (_, index) => index);
      const had: string[] = [];
      const mapping = turns.map(long, (item) => {
        vi.advanceTimersByTime(1);
        return item + 1;
      });
      const other = take(turns, 'other', had);
      const mapped = await mapping;
      had.push('mapped');
      await other;
      expect(mapped).toEqual(long.map((item) => item + 1));
      expect(had).toEqual(['other', 'mapped']);
    });
  });
});
