import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lease } from '../../../src/messages/send/lease.js';
import type { ClaimedMessage } from '../../../src/messages/send/send-store.js';
import { isOver } from '../../../src/platform/deadline.js';

const options = { pool: {} as pg.Pool, log: pino({ enabled: false }) };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A batch whose carrier listened and never stopped to. */
function takeAndEnd(stop: AbortSignal): WeakRef<AbortSignal> {
  const lease = new Lease(options, stop);
  lease.signal.addEventListener('abort', () => undefined, { once: true });
  lease.end();
  return new WeakRef(lease.signal);
}

it('leaves nothing with the stop of the process once it has ended', async () => {
  const stop = new AbortController();
  const signals = Array.from({ length: 20 }, () => takeAndEnd(stop.signal));
  // What a WeakRef was made of stays until the turn is over.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(signals.filter((each) => each.deref() !== undefined)).toEqual([]);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});

it('ends submissions when the process stops, and at once where it has stopped', () => {
  const stop = new AbortController();
  const lease = new Lease(options, stop.signal);
  expect(lease.signal.aborted).toBe(false);
  stop.abort();
  const late = new Lease(options, stop.signal);
  expect([lease.signal.aborted, late.signal.aborted]).toEqual([true, true]);
  lease.end();
  late.end();
});

describe('a lease that is renewed', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  const never = new AbortController().signal;
  const messages = ['a', 'b', 'c'].map((id) => ({ id, attempt: 1 }) as ClaimedMessage);
  const [a, b, c] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];

  /** A lease of all three, whose renewals are answered so. */
  function held(renew: () => Promise<string[]>): Lease {
    const pool = { query: async () => ({ rows: (await renew()).map((id) => ({ id })) }) } as unknown as pg.Pool;
    const lease = new Lease({ ...options, pool }, never);
    lease.hold(messages);
    return lease;
  }

  it('ends by the time at which it was asked for, however late the answer came', async () => {
    let renewals = 0;
    const lease = held(async () => {
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

  it('is over at its end also where no timer has run since', async () => {
    const lease = held(async () => ['a', 'b', 'c']);
    await vi.advanceTimersByTimeAsync(10_000);
    const renewedAt = performance.now();
    const now = vi.spyOn(performance, 'now');
    now.mockReturnValue(renewedAt + 24_900);
    expect(isOver(lease.signal)).toBe(false);
    now.mockReturnValue(renewedAt + 25_000);
    expect([isOver(lease.signal), lease.signal.aborted]).toEqual([true, false]);
    lease.end();
  });

  it('ends where another worker has a message that still waits', async () => {
    const lease = held(async () => ['a', 'c']);
    await vi.advanceTimersByTimeAsync(9_900);
    expect(lease.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(lease.signal.aborted).toBe(true);
    lease.end();
  });

  it('goes on where only those are not renewed whose outcome is known, or was written meanwhile', async () => {
    const lease: Lease = held(async () => {
      lease.release(a);
      return ['c'];
    });
    lease.settle(b);
    await vi.advanceTimersByTimeAsync(30_000);
    expect([lease.signal.aborted, isOver(lease.signal)]).toEqual([false, false]);
    lease.release(b);
    lease.release(c);
    lease.end();
  });
});
