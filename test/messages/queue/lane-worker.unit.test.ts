import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { SendWorker } from '../../../src/messages/queue/backend.js';
import { LaneWorker } from '../../../src/messages/queue/lane-worker.js';

/** Workers that run until they are closed, and what was done to them. */
function open() {
  const done: string[] = [];
  const log: string[] = [];
  let opened = 0;
  const lane = new LaneWorker({
    lane: 'bulk',
    log: pino({ level: 'error' }, { write: (line: string) => void log.push(line) }),
    open: (): SendWorker => {
      opened += 1;
      const name = `worker ${opened}`;
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      return {
        run: () => {
          done.push(`${name} runs`);
          return ended;
        },
        close: async () => {
          done.push(`${name} closes`);
          end();
        },
        discard: async () => {
          done.push(`${name} is discarded`);
          end();
        },
        on: () => undefined,
      };
    },
  });
  lane.start();
  const look = (times: number, areReady = true) => {
    for (let index = 0; index < times; index += 1) lane.look(areReady);
  };
  return { lane, look, done, log };
}

describe('the worker of a lane', () => {
  it('is opened anew when it takes nothing in five looks that find jobs ready', async () => {
    const { lane, look, done, log } = open();
    look(4);
    expect(lane.reopened).toBe(0);
    look(1);
    expect(lane.reopened).toBe(1);
    expect(done).toEqual(['worker 1 runs', 'worker 2 runs', 'worker 1 is discarded']);
    // The end of the one that was replaced is none to start it again for.
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual([]);
    await lane.close(1_000);
    expect(done.slice(3)).toEqual(['worker 2 closes']);
  });

  it('is let be where no job is ready, however long', () => {
    const { lane, look } = open();
    look(100, false);
    look(4);
    look(1, false);
    look(4);
    expect(lane.reopened).toBe(0);
  });

  it('is let be while it takes jobs, or a slow carrier holds one', async () => {
    const { lane, look } = open();
    for (let index = 0; index < 5; index += 1) {
      look(4);
      await lane.during(async () => undefined);
    }
    let end: () => void = () => undefined;
    const held = lane.during(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    look(100);
    end();
    await held;
    expect(lane.reopened).toBe(0);
  });

  it('that was opened anew in vain waits twice as long for the next time, until one takes a job', async () => {
    const { lane, look } = open();
    look(5 + 10 + 20);
    expect(lane.reopened).toBe(3);
    look(39);
    expect(lane.reopened).toBe(3);
    await lane.during(async () => undefined);
    look(1 + 5);
    expect(lane.reopened).toBe(4);
  });

  it('is not opened again once it is closed', async () => {
    const { lane, look } = open();
    await lane.close(1_000);
    look(100);
    expect(lane.reopened).toBe(0);
  });
});
