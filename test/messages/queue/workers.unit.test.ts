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
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function createWorkers({ send = () => new Promise<void>(() => undefined) }: { send?: () => Promise<void> } = {}) {
  const processors = new Map<Lane, WorkerSettings['process']>();
  const backend = {
    openWorker: (lane: Lane, settings: WorkerSettings) => {
      processors.set(lane, settings.process);
      return { on: () => undefined, run: () => new Promise(() => undefined), close: async () => undefined };
    },
  };
  const takenJobs: [Lane, number][] = [];
  const sent: string[][] = [];
  const log: string[] = [];
  const workers = new Workers({
    backend: backend as unknown as QueueBackend,
    log: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    clock: { now: () => NOW },
    concurrency: 1,
    onJobTaken: (lane, number) => void takenJobs.push([lane, number]),
    send: (ids) => {
      sent.push([...ids]);
      return send();
    },
  });
  const delayed: number[] = [];
  const run = (lane: Lane, number = 1, carrier = 'one') => {
    const ids = Array.from({ length: FULL_JOB }, () => newId());
    const job = {
      ...{ id: 'job', data: { ids: packIds(ids), carrier, line: { account: 'a' } }, opts: { priority: number } },
      moveToDelayed: async (at: number) => void delayed.push(at - NOW.getTime()),
    } as unknown as Job<SendJob, void, 'send'>;
    const process = processors.get(lane) as WorkerSettings['process'];
    return Promise.resolve(process(job, 'token')).then(
      () => 'done',
      (error: unknown) => (error instanceof DelayedError ? 'delayed' : error),
    );
  };
  return { workers, run, sent, taken: takenJobs, delayed, log };
}

it.each(LANES)('in the lane %s, jobs of a stuck carrier are sent back and return one after the other', async (lane) => {
  const { run, sent, delayed } = createWorkers();
  const jobs = Array.from({ length: 8 }, () => run(lane));
  await pass(1_000);
  expect(sent).toHaveLength(1);
  // One runs, three wait, and the others are sent back.
  expect(await Promise.all(jobs.slice(-4))).toEqual(Array(4).fill('delayed'));
  expect(delayed).toHaveLength(4);
  expect(Math.min(...delayed)).toBeGreaterThanOrEqual(250);
  expect([...delayed].sort((a, b) => a - b)).toEqual(delayed);
});

it('a hung carrier delays neither another carrier nor the other lane', async () => {
  const { run, sent } = createWorkers();
  void run('bulk');
  void run('bulk', 1, 'two');
  void run('urgent');
  await pass(0);
  expect(sent).toHaveLength(3);
});

it('once the queue is empty, returning jobs are forgotten', async () => {
  const { workers, run, delayed } = createWorkers();
  for (let job = 0; job < 100; job++) void run('bulk');
  await pass(1_000);
  void run('bulk');
  await pass(0);
  const before = delayed.at(-1) as number;
  workers.check([], ['urgent']);
  void run('bulk');
  await pass(0);
  expect(delayed.at(-1)).toBeGreaterThanOrEqual(before);
  workers.check([], ['bulk']);
  void run('bulk');
  await pass(0);
  expect(delayed.at(-1)).toBeLessThan(before / 10);
});

it('a failed job is finished and frees its slot', async () => {
  const { run, sent, log, taken } = createWorkers({ send: () => Promise.reject(new Error('the store is away')) });
  expect(await run('urgent', 7)).toBe('done');
  expect(await run('urgent', 8)).toBe('done');
  expect(sent.map(({ length }) => length)).toEqual([FULL_JOB, FULL_JOB]);
  expect(taken).toEqual([
    ['urgent', 7],
    ['urgent', 8],
  ]);
  const lines = log.map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ messages: FULL_JOB }, { messages: FULL_JOB }]);
  expect(lines[0].messageIds).toHaveLength(20);
});

it('closing the workers sends waiting jobs back at once', async () => {
  const { workers, run, delayed } = createWorkers();
  void run('bulk');
  const waiting = run('bulk');
  await pass(0);
  await workers.close(1_000);
  expect(await waiting).toBe('delayed');
  expect(delayed).toEqual([0]);
});
