import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GroupCommit, type GroupCommitOptions } from '../../src/platform/group-commit.js';
import { waitFor } from '../support/wait-for.js';

/** A committer whose commits end when the test says so. */
function controlled(options: Partial<GroupCommitOptions<number, string>> = {}) {
  const batches: number[][] = [];
  const finish: (() => void)[] = [];
  const line = new GroupCommit<number, string>({
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
  const began = (count: number) => waitFor('a commit to begin', () => batches.length === count);
  const finishOne = () => finish.shift()?.();
  /** Ends a commit, and lets what follows from it happen. */
  const finished = async () => {
    finishOne();
    await turns();
  };
  const all: Promise<string>[] = [];
  /** Adds items, and lets what follows from it happen. What becomes of them is in `all`. */
  const add = async (...items: number[]) => {
    all.push(...items.map((item) => line.add(item)));
    await turns();
  };
  return { line, batches, began, finish: finishOne, finished, all, add };
}

async function turns(): Promise<void> {
  for (let count = 0; count < 10; count++) await new Promise((resolve) => setImmediate(resolve));
}

describe('GroupCommit', () => {
  it('commits what comes in one turn of the event loop together, and what comes meanwhile in the next batch', async () => {
    const { line, batches, began, finish } = controlled();
    const first = [line.add(1), line.add(2)];
    await began(1);
    const second = [line.add(3), line.add(4)];
    finish();
    expect(await Promise.all(first)).toEqual(['done 1', 'done 2']);
    await began(2);
    finish();
    expect(await Promise.all(second)).toEqual(['done 3', 'done 4']);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    await line.idle();
  });

  it('closes a batch before it outgrows its weight, and lets a heavier item go alone', async () => {
    const { line, batches, began, finish } = controlled({ weigh: (item) => item, waitingLimit: 100 });
    const all = [line.add(2), line.add(2), line.add(7), line.add(1)];
    for (let batch = 1; batch <= 4; batch++) {
      await began(batch);
      finish();
    }
    await Promise.all(all);
    expect(batches).toEqual([[2], [2], [7], [1]]);
  });

  it('rejects one item of a batch alone, and all of it when the commit fails', async () => {
    const { line, began, finish } = controlled();
    const outcomes = Promise.allSettled([line.add(1), line.add(-2)]);
    await began(1);
    finish();
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

  it('refuses with UNAVAILABLE what would outgrow the waiting line, but never the first', async () => {
    const { line, began, finish } = controlled({ weigh: (item) => item, batchWeight: 10 });
    const heavy = line.add(50);
    await expect(line.add(1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await began(1);
    finish();
    expect(await heavy).toBe('done 50');
  });

  describe('with a pause', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('commits at once when idle, then waits for the pause or for a whole batch', async () => {
      const { batches, finish, finished, all, add } = controlled({
        pauseMs: 1_000,
        batchWeight: 2,
        waitingLimit: 100,
      });
      await add(1);
      expect(batches).toEqual([[1]]);
      await finished();
      await add(2);
      expect(batches).toEqual([[1]]);
      await add(3);
      expect(batches).toEqual([[1], [2, 3]]);
      await finished();
      await add(4);
      expect(batches).toHaveLength(2);
      vi.advanceTimersByTime(1_000);
      await turns();
      expect(batches).toEqual([[1], [2, 3], [4]]);
      finish();
      await Promise.all(all);
    });

    it('does not wait after a light batch, nor for what goes at once', async () => {
      const { line, batches, finish, finished, all, add } = controlled({
        pauseMs: 1_000,
        pauseFromWeight: 2,
        batchWeight: 5,
        waitingLimit: 100,
      });
      await add(1);
      await finished();
      await add(2, 3);
      expect(batches).toEqual([[1], [2, 3]]);
      await finished();
      await add(4);
      expect(batches).toHaveLength(2);
      all.push(line.add(5, { atOnce: true }));
      await turns();
      expect(batches).toEqual([[1], [2, 3], [4, 5]]);
      all.push(line.add(6, { atOnce: true }));
      await finished();
      expect(batches[3]).toEqual([6]);
      finish();
      await Promise.all(all);
    });
  });

  it('refuses what has waited for long behind a commit that failed as it would itself, and tries what came late', async () => {
    const away = new Error('away');
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    try {
      let fail: (error: Error) => void = () => undefined;
      const batches: number[][] = [];
      const line = new GroupCommit<number, string>({
        commit: (items) => {
          batches.push([...items]);
          if (batches.length > 1) return Promise.resolve(items.map((item) => `done ${item}`));
          return new Promise((_, reject) => {
            fail = reject;
          });
        },
        batchWeight: 3,
        waitingLimit: 5,
        endsWaiting: (error) => error === away,
      });
      const first = line.add(1);
      for (let turn = 0; batches.length < 1 && turn < 100; turn += 1) await new Promise(setImmediate);
      expect(batches).toHaveLength(1);
      const early = line.add(2);
      now.mockReturnValue(1_500);
      const late = line.add(3);
      now.mockReturnValue(2_000);
      fail(away);
      await expect(first).rejects.toBe(away);
      await expect(early).rejects.toBe(away);
      expect(await late).toBe('done 3');
      expect(batches).toEqual([[1], [3]]);
      expect(line.waitingWeight).toBe(0);
    } finally {
      now.mockRestore();
    }
  });
});
