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

const never = new AbortController().signal;

/** Asks for turns and returns the times, in milliseconds, at which they come. */
function ask(pace: Pace, count: number, times: number[] = []): number[] {
  for (let index = 0; index < count; index += 1) void pace.turn(never).then(() => times.push(performance.now()));
  return times;
}

/** The most turns that lie within less than a second. */
function mostInASecond(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 999.999).length));
}

describe('the pace', () => {
  it.each([1, 3, 80, 1000])('of %i lets no more go within any second, and not fewer in the long run', async (rate) => {
    const times = ask(new Pace(rate), rate * 4);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times).toHaveLength(rate * 4);
    expect(mostInASecond(times)).toBe(rate);
    expect((times.at(-1) as number) - (times[0] as number)).toBeLessThanOrEqual(4_000);
  });

  it('is kept after an idle time too, and after one that was shorter than a second', async () => {
    const pace = new Pace(80);
    const times: number[] = [];
    for (const idle of [5_000, 40, 300, 90, 700, 2_500]) {
      ask(pace, 60, times);
      await vi.advanceTimersByTimeAsync(idle);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times).toHaveLength(360);
    expect(mostInASecond(times)).toBe(80);
  });

  it('is kept when the timers of a busy process come late', async () => {
    let clock = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const times = ask(new Pace(80), 400);
    // Timers fire when all of the time is over.
    const pass = async (milliseconds: number) => {
      clock += milliseconds;
      await vi.advanceTimersByTimeAsync(milliseconds);
    };
    for (const late of [600, 20, 900, 300]) {
      for (let index = 0; index < 300; index += 1) await pass(1);
      await pass(late);
    }
    for (let index = 0; index < 4_000; index += 1) await pass(1);
    expect(times).toHaveLength(400);
    expect(mostInASecond(times)).toBe(80);
  });

  it('of less than one in a second leaves whole seconds between', async () => {
    const times = ask(new Pace(0.5), 3);
    await vi.advanceTimersByTimeAsync(10_000);
    const [first = 0] = times;
    expect(times.map((at) => at - first)).toEqual([0, 2_000, 4_000]);
  });

  it('keeps the order, and gives the turn of one that stopped waiting to the next', async () => {
    const pace = new Pace(1);
    const stop = new AbortController();
    const told: [string, boolean][] = [];
    const wait = (name: string, signal = never) => void pace.turn(signal).then((turn) => told.push([name, turn]));
    wait('first');
    wait('stopped', stop.signal);
    wait('second');
    stop.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual([
      ['first', true],
      ['stopped', false],
      ['second', true],
    ]);
    expect(await pace.turn(stop.signal)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives no turn past a deadline, though the signal has not fired, and loses none by it', async () => {
    const pace = new Pace(1);
    const { signal } = new AbortController();
    setDeadline(signal, performance.now() + 500);
    const times = ask(pace, 1);
    const late = pace.turn(signal);
    ask(pace, 1, times);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await late).toBe(false);
    expect(times.map((at) => at - (times[0] as number))).toEqual([0, 1_000]);
    expect(await pace.turn(signal)).toBe(false);
  });
});
