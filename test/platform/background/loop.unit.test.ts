import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Loop } from '../../../src/platform/background/loop.js';

const EVERY_MS = 100;
const FAILURE_REST_MS = 1_000;

/** A look that is under way, and how the test ends it. */
interface Look {
  signal: AbortSignal;
  end(restMs?: number): Promise<void>;
  fail(error: Error): Promise<void>;
}

let loop: Loop;
let looks: Look[];
let lines: string[];

beforeEach(() => {
  vi.useFakeTimers();
  looks = [];
  lines = [];
  loop = new Loop({
    look: (signal) =>
      new Promise<number>((resolve, reject) => {
        looks.push({
          signal,
          // Without a time it ends as one that returns nothing.
          end: (restMs) => settle(() => resolve(restMs as number)),
          fail: (error) => settle(() => reject(error)),
        });
      }),
    everyMs: EVERY_MS,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    failure: 'there was no looking',
  });
});
afterEach(async () => {
  const stopped = loop.stop();
  await looks.at(-1)?.end();
  await stopped;
  vi.useRealTimers();
});

/** Has what follows from it happen, without any time passing. */
async function settle(act: () => void): Promise<void> {
  act();
  await pass(0);
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

describe('a loop', () => {
  it('looks at once, and again some time after each look has ended', async () => {
    await settle(() => loop.start());
    expect(looks).toHaveLength(1);
    await pass(10 * EVERY_MS);
    expect(looks).toHaveLength(1);
    await looks[0]?.end();
    await pass(EVERY_MS - 1);
    expect(looks).toHaveLength(1);
    await pass(1);
    expect(looks).toHaveLength(2);
  });

  it('looks later for the first time where it is told to', async () => {
    loop.start(500);
    await pass(499);
    expect(looks).toHaveLength(0);
    await pass(1);
    expect(looks).toHaveLength(1);
  });

  it('begins once', async () => {
    await settle(() => {
      loop.start();
      loop.start();
    });
    expect(looks).toHaveLength(1);
  });

  it('rests for as long as a look says, and not at all when there is more to do', async () => {
    await settle(() => loop.start());
    await looks[0]?.end(5 * EVERY_MS);
    await pass(5 * EVERY_MS - 1);
    expect(looks).toHaveLength(1);
    await pass(1);
    expect(looks).toHaveLength(2);
    await looks[1]?.end(0);
    expect(looks).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('waking a loop', () => {
  it('ends its rest, and leaves no timer behind', async () => {
    await settle(() => loop.start());
    await looks[0]?.end();
    await settle(() => loop.wake());
    expect(looks).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('during a look makes one more look at once, however often', async () => {
    await settle(() => loop.start());
    for (let time = 0; time < 3; time += 1) loop.wake();
    await looks[0]?.end();
    expect(looks).toHaveLength(2);
    await looks[1]?.end();
    expect(looks).toHaveLength(2);
  });

  it('before it starts has it look at once', async () => {
    loop.wake();
    await settle(() => loop.start(500));
    expect(looks).toHaveLength(1);
  });
});

describe('a look that fails', () => {
  it('is followed by others, after a rest that no wake ends', async () => {
    await settle(() => loop.start());
    loop.wake();
    await looks[0]?.fail(new Error('no'));
    loop.wake();
    await pass(FAILURE_REST_MS - 1);
    expect(looks).toHaveLength(1);
    await pass(1);
    expect(looks).toHaveLength(2);
    await looks[1]?.end();
    await settle(() => loop.wake());
    expect(looks).toHaveLength(3);
  });

  it('is logged, but not again while the same error goes on', async () => {
    const messages = () =>
      lines.map((line) => JSON.parse(line)).map(({ level, msg, err, times }) => [level, msg, err?.message ?? times]);
    await settle(() => loop.start());
    for (const reason of ['away', 'away', 'starting', 'away']) {
      await looks.at(-1)?.fail(new Error(reason));
      await pass(FAILURE_REST_MS);
    }
    expect(messages()).toEqual(['away', 'starting', 'away'].map((reason) => [40, 'there was no looking', reason]));
    await looks.at(-1)?.end(0);
    await looks.at(-1)?.fail(new Error('away'));
    expect(messages().slice(3)).toEqual([
      [40, 'again: there was no looking; now it works', 1],
      [40, 'there was no looking', 'away'],
    ]);
  });
});

describe('stopping a loop', () => {
  it('waits for the look under way, which is told', async () => {
    await settle(() => loop.start());
    expect(looks[0]?.signal.aborted).toBe(false);
    let stopped = false;
    const stopping = loop.stop().then(() => {
      stopped = true;
    });
    await pass(EVERY_MS);
    expect([looks[0]?.signal.aborted, stopped]).toEqual([true, false]);
    await looks[0]?.end(0);
    await stopping;
    expect(looks).toHaveLength(1);
  });

  it('ends its rest, also the one after a failure', async () => {
    await settle(() => loop.start());
    await looks[0]?.fail(new Error('no'));
    await loop.stop();
    loop.wake();
    await pass(FAILURE_REST_MS);
    expect(looks).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that never began keeps it from beginning', async () => {
    await loop.stop();
    await settle(() => loop.start());
    expect(looks).toHaveLength(0);
  });
});
