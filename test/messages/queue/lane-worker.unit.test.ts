import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { SendWorker } from '../../../src/messages/queue/backend.js';
import { LaneWorker } from '../../../src/messages/queue/lane-worker.js';

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
      const closing = new Promise<void>((resolve) => {
        end = resolve;
      });
      return {
        run: () => {
          done.push(`${name} runs`);
          return closing;
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
    for (let index = 0; index < times; index += 1) lane.check(areReady);
  };
  return { lane, look, done, log };
}

describe("a lane's worker", () => {
  it('a worker is reopened after five checks that find ready jobs and an idle worker', async () => {
    const { lane, look, done, log } = open();
    look(4);
    expect(lane.reopened).toBe(0);
    look(1);
    expect(lane.reopened).toBe(1);
    expect(done).toEqual(['worker 1 runs', 'worker 2 runs', 'worker 1 is discarded']);
    // The end of the replaced worker must not restart it.
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual([]);
    await lane.close(1_000);
    expect(done.slice(3)).toEqual(['worker 2 closes']);
  });

  it('a worker is not reopened while no job is ready', () => {
    const { lane, look } = open();
    look(100, false);
    look(4);
    look(1, false);
    look(4);
    expect(lane.reopened).toBe(0);
  });

  it('a worker is not reopened while it takes jobs or a slow carrier holds one', async () => {
    const { lane, look } = open();
    for (let index = 0; index < 5; index += 1) {
      look(4);
      await lane.track(async () => undefined);
    }
    let end: () => void = () => undefined;
    const runningJob = lane.track(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    look(100);
    end();
    await runningJob;
    expect(lane.reopened).toBe(0);
  });

  it('the checks before reopening double each time it did not help, until a job is taken', async () => {
    const { lane, look } = open();
    look(5 + 10 + 20);
    expect(lane.reopened).toBe(3);
    look(39);
    expect(lane.reopened).toBe(3);
    await lane.track(async () => undefined);
    look(1 + 5);
    expect(lane.reopened).toBe(4);
  });

  it('a closed worker is not reopened', async () => {
    const { lane, look } = open();
    await lane.close(1_000);
    look(100);
    expect(lane.reopened).toBe(0);
  });
});
