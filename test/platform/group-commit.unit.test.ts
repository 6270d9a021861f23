import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GroupCommit, type GroupCommitOptions } from '../../src/platform/group-commit.js';
import { waitFor } from '../support/wait-for.js';

function createGroup(options: Partial<GroupCommitOptions<number, string>> = {}) {
  const batches: number[][] = [];
  const finish: (() => void)[] = [];
  const group = new GroupCommit<number, string>({
    commit: async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => finish.push(resolve));
      return items.map((item) => (item < 0 ? new Error(`bad ${item}`) : `done ${item}`));
    },
    weigh: () => 1,
    batchWeight: 3,
    waitingLimit: 5,
    ...options,
  });
  const waitForCommit = (count: number) => waitFor('a commit to start', () => batches.length === count);
  const finishOne = () => finish.shift()?.();
  const finishAndSettle = async () => {
    finishOne();
    await settle();
  };
  const results: Promise<string>[] = [];
  const add = async (...items: number[]) => {
    results.push(...items.map((item) => group.add(item)));
    await settle();
  };
  return {
    group,
    batches,
    waitForCommit,
    finishOne,
    finishAndSettle,
    results,
    add,
  };
}

async function settle(): Promise<void> {
  for (let count = 0; count < 10; count++) await new Promise((resolve) => setImmediate(resolve));
}

describe('GroupCommit', () => {
  it('commits the items of one event loop turn together, and items that arrive meanwhile in the next batch', async () => {
    const { group, batches, waitForCommit, finishOne } = createGroup();
    const first = [group.add(1), group.add(2)];
    await waitForCommit(1);
    const second = [group.add(3), group.add(4)];
    finishOne();
    expect(await Promise.all(first)).toEqual(['done 1', 'done 2']);
    await waitForCommit(2);
    finishOne();
    expect(await Promise.all(second)).toEqual(['done 3', 'done 4']);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    await group.waitUntilIdle();
  });

  it('limits the weight of a batch and commits a heavier item alone', async () => {
    const { group, batches, waitForCommit, finishOne } = createGroup({ weigh: (item) => item, waitingLimit: 100 });
    const results = [group.add(2), group.add(2), group.add(7), group.add(1)];
    for (let batch = 1; batch <= 4; batch++) {
      await waitForCommit(batch);
      finishOne();
    }
    await Promise.all(results);
    expect(batches).toEqual([[2], [2], [7], [1]]);
  });

  it('rejects a single item of a batch, or all of them if the commit fails', async () => {
    const { group, waitForCommit, finishOne } = createGroup();
    const outcomes = Promise.allSettled([group.add(1), group.add(-2)]);
    await waitForCommit(1);
    finishOne();
    expect(await outcomes).toMatchObject([{ value: 'done 1' }, { reason: { message: 'bad -2' } }]);

    const failing = new GroupCommit<number, string>({
      commit: () => Promise.reject(new Error('store is away')),
      weigh: () => 1,
      batchWeight: 3,
      waitingLimit: 5,
    });
    const failed = await Promise.allSettled([failing.add(1), failing.add(2)]);
    expect(failed.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual([
      'store is away',
      'store is away',
    ]);
  });

  it('refuses items beyond the queue limit with UNAVAILABLE, but never the first', async () => {
    const { group, waitForCommit, finishOne } = createGroup({ weigh: (item) => item, batchWeight: 10 });
    const heavy = group.add(50);
    await expect(group.add(1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await waitForCommit(1);
    finishOne();
    expect(await heavy).toBe('done 50');
  });

  describe('with a pause', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('commits at once when idle, then waits for the pause or for a full batch', async () => {
      const { batches, finishOne, finishAndSettle, results, add } = createGroup({
        pauseMs: 1_000,
        batchWeight: 2,
        waitingLimit: 100,
      });
      await add(1);
      expect(batches).toEqual([[1]]);
      await finishAndSettle();
      await add(2);
      expect(batches).toEqual([[1]]);
      await add(3);
      expect(batches).toEqual([[1], [2, 3]]);
      await finishAndSettle();
      await add(4);
      expect(batches).toHaveLength(2);
      vi.advanceTimersByTime(1_000);
      await settle();
      expect(batches).toEqual([[1], [2, 3], [4]]);
      finishOne();
      await Promise.all(results);
    });

    it('does not pause after a light batch or for urgent items', async () => {
      const { group, batches, finishOne, finishAndSettle, results, add } = createGroup({
        pauseMs: 1_000,
        pauseFromWeight: 2,
        batchWeight: 5,
        waitingLimit: 100,
      });
      await add(1);
      await finishAndSettle();
      await add(2, 3);
      expect(batches).toEqual([[1], [2, 3]]);
      await finishAndSettle();
      await add(4);
      expect(batches).toHaveLength(2);
      results.push(group.add(5, { atOnce: true }));
      await settle();
      expect(batches).toEqual([[1], [2, 3], [4, 5]]);
      results.push(group.add(6, { atOnce: true }));
      await finishAndSettle();
      expect(batches[3]).toEqual([6]);
      finishOne();
      await Promise.all(results);
    });
  });

  it('rejects items that waited long behind a failed commit, and commits newer ones', async () => {
    const unavailable = new Error('away');
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    try {
      let fail: (error: Error) => void = () => undefined;
      const batches: number[][] = [];
      const group = new GroupCommit<number, string>({
        commit: (items) => {
          batches.push([...items]);
          if (batches.length > 1) return Promise.resolve(items.map((item) => `done ${item}`));
          return new Promise((_, reject) => {
            fail = reject;
          });
        },
        batchWeight: 3,
        waitingLimit: 5,
        endsWaiting: (error) => error === unavailable,
      });
      const first = group.add(1);
      for (let turn = 0; batches.length < 1 && turn < 100; turn += 1) await new Promise(setImmediate);
      expect(batches).toHaveLength(1);
      const longWaiting = group.add(2);
      now.mockReturnValue(1_500);
      const recent = group.add(3);
      now.mockReturnValue(2_000);
      fail(unavailable);
      await expect(first).rejects.toBe(unavailable);
      await expect(longWaiting).rejects.toBe(unavailable);
      expect(await recent).toBe('done 3');
      expect(batches).toEqual([[1], [3]]);
      expect(group.waitingWeight).toBe(0);
    } finally {
      now.mockRestore();
    }
  });
});
