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

/** Workers of a queue that tests hand jobs to, with one job of a carrier at once. */
function world({ send = () => new Promise<void>(() => undefined) }: { send?: () => Promise<void> } = {}) {
  const processors = new Map<Lane, WorkerSettings['process']>();
  const backend = {
    openWorker: (lane: Lane, settings: WorkerSettings) => {
      processors.set(lane, settings.process);
      return { on: () => undefined, run: () => new Promise(() => undefined), close: async () => undefined };
    },
  };
  const taken: [Lane, number][] = [];
  const sent: string[][] = [];
  const log: string[] = [];
  const workers = new Workers({
    backend: backend as unknown as QueueBackend,
    log: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    clock: { now: () => NOW },
    concurrency: 1,
    onTaken: (lane, number) => void taken.push([lane, number]),
    send: (ids) => {
      sent.push([...ids]);
      return send();
    },
  });
  const delayed: number[] = [];
  /** Hands a job over; resolves to how it ended. */
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
  return { workers, run, sent, taken, delayed, log };
}

it.each(LANES)(
  'in the lane %s, jobs that a stuck carrier cannot run come again later, one after the other',
  async (lane) => {
    const { run, sent, delayed } = world();
    const jobs = Array.from({ length: 8 }, () => run(lane));
    await pass(1_000);
    expect(sent).toHaveLength(1);
    // One runs and three wait; the others are given back to the queue.
    expect(await Promise.all(jobs.slice(-4))).toEqual(Array(4).fill('delayed'));
    expect(delayed).toHaveLength(4);
    expect(Math.min(...delayed)).toBeGreaterThanOrEqual(250);
    expect([...delayed].sort((a, b) => a - b)).toEqual(delayed);
  },
);

it('a carrier that hangs holds up neither another carrier nor the other lane', async () => {
  const { run, sent } = world();
  void run('bulk');
  void run('bulk', 1, 'two');
  void run('urgent');
  await pass(0);
  expect(sent).toHaveLength(3);
});

it('once the queue is empty, jobs that come again are not counted any more', async () => {
  const { workers, run, delayed } = world();
  for (let job = 0; job < 100; job++) void run('bulk');
  await pass(1_000);
  void run('bulk');
  await pass(0);
  const before = delayed.at(-1) as number;
  workers.look([], ['urgent']);
  void run('bulk');
  await pass(0);
  expect(delayed.at(-1)).toBeGreaterThanOrEqual(before);
  workers.look([], ['bulk']);
  void run('bulk');
  await pass(0);
  expect(delayed.at(-1)).toBeLessThan(before / 10);
});

it('a job that fails is done with, and makes room for the next', async () => {
  const { run, sent, log, taken } = world({ send: () => Promise.reject(new Error('the store is away')) });
  expect(await run('urgent', 7)).toBe('done');
  expect(await run('urgent', 8)).toBe('done');
  expect(sent.map(({ length }) => length)).toEqual([FULL_JOB, FULL_JOB]);
  expect(taken).toEqual([
    ['urgent', 7],
    ['urgent', 8],
  ]);
  const told = log.map((line) => JSON.parse(line));
  expect(told).toMatchObject([{ messages: FULL_JOB }, { messages: FULL_JOB }]);
  expect(told[0].messageIds).toHaveLength(20);
});

it('closing gives back at once what waits', async () => {
  const { workers, run, delayed } = world();
  void run('bulk');
  const waiting = run('bulk');
  await pass(0);
  await workers.close(1_000);
  expect(await waiting).toBe('delayed');
  expect(delayed).toEqual([0]);
});
