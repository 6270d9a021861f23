import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { SendWorker } from '../../../src/messages/queue/backend.js';
import { LaneWorker } from '../../../src/messages/queue/lane-worker.js';

function createLane() {
  const events: string[] = [];
  const log: string[] = [];
  let workerCount = 0;
  const lane = new LaneWorker({
    lane: 'bulk',
    log: pino({ level: 'error' }, { write: (line: string) => void log.push(line) }),
    open: (): SendWorker => {
      workerCount += 1;
      const name = `worker ${workerCount}`;
      let endWorker: () => void = () => undefined;
      const closing = new Promise<void>((resolve) => {
        endWorker = resolve;
      });
      return {
        run: () => {
          events.push(`${name} runs`);
          return closing;
        },
        close: async () => {
          events.push(`${name} closes`);
          endWorker();
        },
        discard: async () => {
          events.push(`${name} is discarded`);
          endWorker();
        },
        on: () => undefined,
      };
    },
  });
  lane.start();
  const checkLane = (times: number, areReady = true) => {
    for (let index = 0; index < times; index += 1) lane.check(areReady);
  };
  return { lane, checkLane, events, log };
}

describe("a lane's worker", () => {
  it('a worker is reopened after five checks that find ready jobs and an idle worker', async () => {
    const { lane, checkLane, events, log } = createLane();
    checkLane(4);
    expect(lane.reopened).toBe(0);
    checkLane(1);
    expect(lane.reopened).toBe(1);
    expect(events).toEqual(['worker 1 runs', 'worker 2 runs', 'worker 1 is discarded']);
    // When a replaced worker ends, the lane must not restart it.
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual([]);
    await lane.close(1_000);
    expect(events.slice(3)).toEqual(['worker 2 closes']);
  });

  it('a worker is not reopened while no job is ready', () => {
    const { lane, checkLane } = createLane();
    checkLane(100, false);
    checkLane(4);
    checkLane(1, false);
    checkLane(4);
    expect(lane.reopened).toBe(0);
  });

  it('a worker is not reopened while it takes jobs or a slow carrier holds one', async () => {
    const { lane, checkLane } = createLane();
    for (let index = 0; index < 5; index += 1) {
      checkLane(4);
      await lane.track(async () => undefined);
    }
    let endJob: () => void = () => undefined;
    const runningJob = lane.track(
      () =>
        new Promise<void>((resolve) => {
          endJob = resolve;
        }),
    );
    checkLane(100);
    endJob();
    await runningJob;
    expect(lane.reopened).toBe(0);
  });

  it('the checks before reopening double each time it did not help, until a job is taken', async () => {
    const { lane, checkLane } = createLane();
    checkLane(5 + 10 + 20);
    expect(lane.reopened).toBe(3);
    checkLane(39);
    expect(lane.reopened).toBe(3);
    await lane.track(async () => undefined);
    checkLane(1 + 5);
    expect(lane.reopened).toBe(4);
  });

  it('a closed worker is not reopened', async () => {
    const { lane, checkLane } = createLane();
    await lane.close(1_000);
    checkLane(100);
    expect(lane.reopened).toBe(0);
  });
});
