import { DelayedError, type Job } from 'bullmq';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LANES, type Lane } from '../../../src/messages/lanes.js';
import type { QueueBackend, SendJob, WorkerSettings } from '../../../src/messages/queue/backend.js';
import { packIds } from '../../../src/messages/queue/packed-ids.js';
import { Workers } from '../../../src/messages/queue/workers.js';
import { newId } from '../../../src/platform/ids.js';

const NOW = new Date('2026-11-24T12:00:00Z');
const FULL_JOB = 100;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function createWorkers({ send = () => new Promise<void>(() => undefined) }: { send?: () => Promise<void> } = {}) {
  const processors = new Map<Lane, WorkerSettings['process']>();
  const backend = {
    openWorker: (lane: Lane, settings: WorkerSettings) => {
      processors.set(lane, settings.process);
      return { on: () => undefined, run: () => new Promise(() => undefined), close: async () => undefined };
    },
  };
  const takenJobs: [Lane, number][] = [];
  const sentJobs: string[][] = [];
  const log: string[] = [];
  const workers = new Workers({
    backend: backend as unknown as QueueBackend,
    log: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    clock: { now: () => NOW },
    concurrency: 1,
    onJobTaken: (lane, number) => void takenJobs.push([lane, number]),
    send: (ids) => {
      sentJobs.push([...ids]);
      return send();
    },
  });
  const delays: number[] = [];
  const runJob = (lane: Lane, number = 1, carrier = 'one') => {
    const ids = Array.from({ length: FULL_JOB }, () => newId());
    const job = {
      ...{ id: 'job', data: { ids: packIds(ids), carrier, line: { account: 'a' } }, opts: { priority: number } },
      moveToDelayed: async (dueAt: number) => void delays.push(dueAt - NOW.getTime()),
    } as unknown as Job<SendJob, void, 'send'>;
    const process = processors.get(lane) as WorkerSettings['process'];
    return Promise.resolve(process(job, 'token')).then(
      () => 'done',
      (error: unknown) => (error instanceof DelayedError ? 'delayed' : error),
    );
  };
  return { workers, runJob, sentJobs, taken: takenJobs, delays, log };
}

it.each(LANES)('in the lane %s, jobs of a stuck carrier are sent back and return one after the other', async (lane) => {
  const { runJob, sentJobs, delays } = createWorkers();
  const jobs = Array.from({ length: 8 }, () => runJob(lane));
  await advance(1_000);
  expect(sentJobs).toHaveLength(1);
  // One job runs, three jobs wait, and the other four are sent back.
  expect(await Promise.all(jobs.slice(-4))).toEqual(Array(4).fill('delayed'));
  expect(delays).toHaveLength(4);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(250);
  expect([...delays].sort((a, b) => a - b)).toEqual(delays);
});

it('a hung carrier delays neither another carrier nor the other lane', async () => {
  const { runJob, sentJobs } = createWorkers();
  void runJob('bulk');
  void runJob('bulk', 1, 'two');
  void runJob('urgent');
  await advance(0);
  expect(sentJobs).toHaveLength(3);
});

it('once the queue is empty, returning jobs are forgotten', async () => {
  const { workers, runJob, delays } = createWorkers();
  for (let job = 0; job < 100; job++) void runJob('bulk');
  await advance(1_000);
  void runJob('bulk');
  await advance(0);
  const delayBefore = delays.at(-1) as number;
  workers.check([], ['urgent']);
  void runJob('bulk');
  await advance(0);
  expect(delays.at(-1)).toBeGreaterThanOrEqual(delayBefore);
  workers.check([], ['bulk']);
  void runJob('bulk');
  await advance(0);
  expect(delays.at(-1)).toBeLessThan(delayBefore / 10);
});

it('a failed job is finished and frees its slot', async () => {
  const { runJob, sentJobs, log, taken } = createWorkers({
    send: () => Promise.reject(new Error('the store is away')),
  });
  expect(await runJob('urgent', 7)).toBe('done');
  expect(await runJob('urgent', 8)).toBe('done');
  expect(sentJobs.map(({ length }) => length)).toEqual([FULL_JOB, FULL_JOB]);
  expect(taken).toEqual([
    ['urgent', 7],
    ['urgent', 8],
  ]);
  const logLines = log.map((line) => JSON.parse(line));
  expect(logLines).toMatchObject([{ messages: FULL_JOB }, { messages: FULL_JOB }]);
  expect(logLines[0].messageIds).toHaveLength(20);
});

it('closing the workers sends waiting jobs back at once', async () => {
  const { workers, runJob, delays } = createWorkers();
  void runJob('bulk');
  const waitingJob = runJob('bulk');
  await advance(0);
  await workers.close(1_000);
  expect(await waitingJob).toBe('delayed');
  expect(delays).toEqual([0]);
});
