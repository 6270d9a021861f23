import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lease } from '../../../src/messages/send/lease.js';
import type { ClaimedMessage } from '../../../src/messages/send/send-store.js';
import { isPastDeadline } from '../../../src/platform/deadline.js';

const options = { pool: {} as pg.Pool, log: pino({ enabled: false }) };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Starts and ends a lease whose carrier never stops listening to the lease's signal. */
function takeAndEndLease(stopSignal: AbortSignal): WeakRef<AbortSignal> {
  const lease = new Lease(options, stopSignal);
  lease.signal.addEventListener('abort', () => undefined, { once: true });
  lease.end();
  return new WeakRef(lease.signal);
}

it("a lease that ended keeps no listener on the process's stop signal", async () => {
  const controller = new AbortController();
  const signals = Array.from({ length: 20 }, () => takeAndEndLease(controller.signal));
  // A WeakRef keeps its target alive until the current task ends.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(signals.filter((signal) => signal.deref() !== undefined)).toEqual([]);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

it('a lease stops submissions when the process stops, at once if it has stopped already', () => {
  const controller = new AbortController();
  const lease = new Lease(options, controller.signal);
  expect(lease.signal.aborted).toBe(false);
  controller.abort();
  const lateLease = new Lease(options, controller.signal);
  expect([lease.signal.aborted, lateLease.signal.aborted]).toEqual([true, true]);
  lease.end();
  lateLease.end();
});

describe('a lease with renewals', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  const neverAborted = new AbortController().signal;
  const messages = ['a', 'b', 'c'].map((id) => ({ id, attempt: 1 }) as ClaimedMessage);
  const [a, b, c] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];

  function createLease(renew: () => Promise<string[]>): Lease {
    const pool = { query: async () => ({ rows: (await renew()).map((id) => ({ id })) }) } as unknown as pg.Pool;
    const lease = new Lease({ ...options, pool }, neverAborted);
    lease.startRenewing(messages);
    return lease;
  }

  it('a renewed lease lasts from the time of the request, however late the response came', async () => {
    let renewals = 0;
    const lease = createLease(async () => {
      renewals += 1;
      if (renewals > 1) throw new Error('the store is away');
      await new Promise((resolve) => setTimeout(resolve, 9_000));
      return ['a', 'b', 'c'];
    });
    await vi.advanceTimersByTimeAsync(34_900);
    expect([renewals, lease.signal.aborted]).toEqual([3, false]);
    await vi.advanceTimersByTimeAsync(200);
    expect(lease.signal.aborted).toBe(true);
    lease.end();
  });

  it('a lease ends on time even if no timer has run since', async () => {
    const lease = createLease(async () => ['a', 'b', 'c']);
    await vi.advanceTimersByTimeAsync(10_000);
    const renewedAt = performance.now();
    const now = vi.spyOn(performance, 'now');
    now.mockReturnValue(renewedAt + 24_900);
    expect(isPastDeadline(lease.signal)).toBe(false);
    now.mockReturnValue(renewedAt + 25_000);
    expect([isPastDeadline(lease.signal), lease.signal.aborted]).toEqual([true, false]);
    lease.end();
  });

  it('a lease ends if another worker has taken a message that still waits', async () => {
    const lease = createLease(async () => ['a', 'c']);
    await vi.advanceTimersByTimeAsync(9_900);
    expect(lease.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(lease.signal.aborted).toBe(true);
    lease.end();
  });

  it('a lease continues if only messages with a known outcome were not renewed', async () => {
    const lease: Lease = createLease(async () => {
      lease.release(a);
      return ['c'];
    });
    lease.markOutcomeKnown(b);
    await vi.advanceTimersByTimeAsync(30_000);
    expect([lease.signal.aborted, isPastDeadline(lease.signal)]).toEqual([false, false]);
    lease.release(b);
    lease.release(c);
    lease.end();
  });
});
