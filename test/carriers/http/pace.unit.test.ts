import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pace } from '../../../src/carriers/http/pace.js';
import { setDeadline } from '../../../src/platform/deadline.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const neverAborted = new AbortController().signal;

function requestTurns(pace: Pace, count: number, times: number[] = []): number[] {
  for (let index = 0; index < count; index += 1)
    void pace.waitForTurn(neverAborted).then(() => times.push(performance.now()));
  return times;
}

function findMaxPerSecond(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 999.999).length));
}

describe('Pace', () => {
  it.each([1, 3, 80, 1000])('the rate limiter grants %i turns per second, and never more', async (rate) => {
    const times = requestTurns(new Pace(rate), rate * 4);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times).toHaveLength(rate * 4);
    expect(findMaxPerSecond(times)).toBe(rate);
    expect((times.at(-1) as number) - (times[0] as number)).toBeLessThanOrEqual(4_000);
  });

  it('the rate limiter keeps the limit after long and short idle times', async () => {
    const pace = new Pace(80);
    const times: number[] = [];
    for (const idleMs of [5_000, 40, 300, 90, 700, 2_500]) {
      requestTurns(pace, 60, times);
      await vi.advanceTimersByTimeAsync(idleMs);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times).toHaveLength(360);
    expect(findMaxPerSecond(times)).toBe(80);
  });

  it('the rate limiter keeps the limit when timers fire late', async () => {
    let clock = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const times = requestTurns(new Pace(80), 400);
    // The clock advances before the timers fire, so every timer fires late.
    const advance = async (milliseconds: number) => {
      clock += milliseconds;
      await vi.advanceTimersByTimeAsync(milliseconds);
    };
    for (const delayMs of [600, 20, 900, 300]) {
      for (let index = 0; index < 300; index += 1) await advance(1);
      await advance(delayMs);
    }
    for (let index = 0; index < 4_000; index += 1) await advance(1);
    expect(times).toHaveLength(400);
    expect(findMaxPerSecond(times)).toBe(80);
  });

  it('the rate limiter supports rates below one per second', async () => {
    const times = requestTurns(new Pace(0.5), 3);
    await vi.advanceTimersByTimeAsync(10_000);
    const [first = 0] = times;
    expect(times.map((time) => time - first)).toEqual([0, 2_000, 4_000]);
  });

  it('the rate limiter grants turns in order, and skips callers that stopped waiting', async () => {
    const pace = new Pace(1);
    const controller = new AbortController();
    const results: [string, boolean][] = [];
    const queueTurn = (name: string, signal = neverAborted) =>
      void pace.waitForTurn(signal).then((granted) => results.push([name, granted]));
    queueTurn('first');
    queueTurn('stopped', controller.signal);
    queueTurn('second');
    controller.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(results).toEqual([
      ['first', true],
      ['stopped', false],
      ['second', true],
    ]);
    expect(await pace.waitForTurn(controller.signal)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('the rate limiter grants no turn past a deadline, even before the signal fires, and wastes none', async () => {
    const pace = new Pace(1);
    const { signal } = new AbortController();
    setDeadline(signal, performance.now() + 500);
    const times = requestTurns(pace, 1);
    const lateTurn = pace.waitForTurn(signal);
    requestTurns(pace, 1, times);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await lateTurn).toBe(false);
    expect(times.map((time) => time - (times[0] as number))).toEqual([0, 1_000]);
    expect(await pace.waitForTurn(signal)).toBe(false);
  });
});
