import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Loop } from '../../../src/platform/background/loop.js';

const EVERY_MS = 100;
const FAILURE_PAUSE_MS = 1_000;

interface Poll {
  signal: AbortSignal;
  end(pauseMs?: number): Promise<void>;
  fail(error: Error): Promise<void>;
}

let loop: Loop;
let polls: Poll[];
let lines: string[];

beforeEach(() => {
  vi.useFakeTimers();
  polls = [];
  lines = [];
  loop = new Loop({
    poll: (signal) =>
      new Promise<number>((resolve, reject) => {
        polls.push({
          signal,
          end: (pauseMs) => settle(() => resolve(pauseMs as number)),
          fail: (error) => settle(() => reject(error)),
        });
      }),
    everyMs: EVERY_MS,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    failure: 'the poll failed',
  });
});
afterEach(async () => {
  const stopped = loop.stop();
  await polls.at(-1)?.end();
  await stopped;
  vi.useRealTimers();
});

/** Without advancing the time. */
async function settle(action: () => void): Promise<void> {
  action();
  await advanceTime(0);
}

const advanceTime = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

describe('Loop', () => {
  it('polls at once, then at an interval after the end of each poll', async () => {
    await settle(() => loop.start());
    expect(polls).toHaveLength(1);
    await advanceTime(10 * EVERY_MS);
    expect(polls).toHaveLength(1);
    await polls[0]?.end();
    await advanceTime(EVERY_MS - 1);
    expect(polls).toHaveLength(1);
    await advanceTime(1);
    expect(polls).toHaveLength(2);
  });

  it('delays the first poll if requested', async () => {
    loop.start(500);
    await advanceTime(499);
    expect(polls).toHaveLength(0);
    await advanceTime(1);
    expect(polls).toHaveLength(1);
  });

  it('starts only once', async () => {
    await settle(() => {
      loop.start();
      loop.start();
    });
    expect(polls).toHaveLength(1);
  });

  it('pauses for as long as a poll asks, or not at all if there is more to do', async () => {
    await settle(() => loop.start());
    await polls[0]?.end(5 * EVERY_MS);
    await advanceTime(5 * EVERY_MS - 1);
    expect(polls).toHaveLength(1);
    await advanceTime(1);
    expect(polls).toHaveLength(2);
    await polls[1]?.end(0);
    expect(polls).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('Loop.wake', () => {
  it('ends the pause and leaves no timer behind', async () => {
    await settle(() => loop.start());
    await polls[0]?.end();
    await settle(() => loop.wake());
    expect(polls).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('causes a single additional poll if called repeatedly during a poll', async () => {
    await settle(() => loop.start());
    for (let time = 0; time < 3; time += 1) loop.wake();
    await polls[0]?.end();
    expect(polls).toHaveLength(2);
    await polls[1]?.end();
    expect(polls).toHaveLength(2);
  });

  it('makes the first poll start at once if called before the start', async () => {
    loop.wake();
    await settle(() => loop.start(500));
    expect(polls).toHaveLength(1);
  });
});

describe('a failed poll', () => {
  it('is followed by another after a pause that wake does not end', async () => {
    await settle(() => loop.start());
    loop.wake();
    await polls[0]?.fail(new Error('no'));
    loop.wake();
    await advanceTime(FAILURE_PAUSE_MS - 1);
    expect(polls).toHaveLength(1);
    await advanceTime(1);
    expect(polls).toHaveLength(2);
    await polls[1]?.end();
    await settle(() => loop.wake());
    expect(polls).toHaveLength(3);
  });

  it('is logged once until its error changes', async () => {
    const messages = () =>
      lines.map((line) => JSON.parse(line)).map(({ level, msg, err, times }) => [level, msg, err?.message ?? times]);
    await settle(() => loop.start());
    for (const reason of ['away', 'away', 'starting', 'away']) {
      await polls.at(-1)?.fail(new Error(reason));
      await advanceTime(FAILURE_PAUSE_MS);
    }
    expect(messages()).toEqual(['away', 'starting', 'away'].map((reason) => [40, 'the poll failed', reason]));
    await polls.at(-1)?.end(0);
    await polls.at(-1)?.fail(new Error('away'));
    expect(messages().slice(3)).toEqual([
      [40, 'recovered after repeated failures: the poll failed', 1],
      [40, 'the poll failed', 'away'],
    ]);
  });
});

describe('Loop.stop', () => {
  it('aborts the signal of the running poll and waits for its end', async () => {
    await settle(() => loop.start());
    expect(polls[0]?.signal.aborted).toBe(false);
    let stopped = false;
    const stopping = loop.stop().then(() => {
      stopped = true;
    });
    await advanceTime(EVERY_MS);
    expect([polls[0]?.signal.aborted, stopped]).toEqual([true, false]);
    await polls[0]?.end(0);
    await stopping;
    expect(polls).toHaveLength(1);
  });

  it('ends the pause, even after a failure', async () => {
    await settle(() => loop.start());
    await polls[0]?.fail(new Error('no'));
    await loop.stop();
    loop.wake();
    await advanceTime(FAILURE_PAUSE_MS);
    expect(polls).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('prevents a later start', async () => {
    await loop.stop();
    await settle(() => loop.start());
    expect(polls).toHaveLength(0);
  });
});
