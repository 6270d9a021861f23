import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { QueueBackend } from '../../../src/messages/queue/backend.js';
import type { DueMessage } from '../../../src/messages/queue/jobs.js';
import { SendHints } from '../../../src/messages/queue/send-hints.js';
import { newId } from '../../../src/platform/ids.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const createMessage = (): DueMessage => ({
  ...{ id: newId(), accountId: 'account', campaignId: null, priority: 0, carrier: 'one' },
});

function createHints(add: () => Promise<unknown>) {
  const adds = { count: 0 };
  const addJob = () => {
    adds.count += 1;
    return add();
  };
  const queue = {
    ...{ add: addJob, addBulk: addJob, getJobs: async () => [], on: () => undefined },
    ...{ waitUntilReady: async () => undefined, close: async () => undefined },
  };
  const backend = { openQueue: () => queue } as unknown as QueueBackend;
  return { hints: new SendHints({ backend, log: pino({ enabled: false }), rateLimitFor: () => null }), adds };
}

async function advance(ms: number) {
  for (let index = 0; index < 4; index += 1) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(ms);
}

it('an unanswered add counts as lost after half a second, and at most a hundred may be pending', async () => {
  const { hints, adds } = createHints(() => new Promise(() => undefined));
  const results: (boolean | null)[] = [];
  for (let index = 0; index < 110; index += 1) {
    results.push(null);
    void hints.add([createMessage()]).then((added) => {
      results[index] = added;
    });
    await advance(600);
  }
  await advance(600);
  expect(new Set(results)).toEqual(new Set([false]));
  expect(adds.count).toBe(100);
});

it('an answered add counts, and marks the queue as up again', async () => {
  let isAway = true;
  const { hints, adds } = createHints(async () => {
    if (isAway) throw new Error('away');
  });
  const firstAdd = hints.add([createMessage()]);
  await advance(600);
  expect(await firstAdd).toBe(false);
  isAway = false;
  const secondAdd = hints.add([createMessage()]);
  await advance(600);
  expect(await secondAdd).toBe(true);
  expect(adds.count).toBe(2);
  expect(hints.checkState()).toBe('up');
});
