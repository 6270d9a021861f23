import { setTimeout as pause } from 'node:timers/promises';
import { type Processor, Queue, type Telemetry, Worker, withBackend } from 'bullmq';
import type { Logger } from 'pino';
import { keyPrefix, openRedis, type RedisConnection, reconnectDelayMs } from '../../platform/redis/connections.js';
import { type QueueConnectionOptions, storeBackend } from './in-store/store-backend.js';
import type { PackedIds } from './packed-ids.js';

/** A job: some messages that are due. Bodies stay in PostgreSQL. */
export interface SendJob {
  ids: PackedIds;
  /** The carrier of all of them. */
  carrier: string;
  /** Whose they are, where they are of one line. */
  line?: JobLine;
}

/** A line of `LaneOrder`, in short: what it is called there need only be told apart. */
export interface JobLine {
  account: string;
  campaign?: string;
  first?: true;
}

/** What a job is added with. */
export interface NewJob {
  name: 'send';
  data: SendJob;
  /** Its priority is its number, which `LaneOrder` gives. */
  opts: { priority: number; removeOnComplete: boolean; removeOnFail: boolean; attempts: number };
  /** The trace that the job is a part of: that of the first of its messages which begin a chunk; null: none. */
  traceparent: string | null;
}

/** The part of BullMQ's Queue that is used, alike on both backends. */
export interface SendQueue {
  add(name: 'send', data: SendJob, opts: NewJob['opts']): Promise<unknown>;
  addBulk(jobs: NewJob[]): Promise<unknown>;
  /** Jobs in the order in which they are to run; of the delayed ones, in which they come back. */
  getJobs(
    types: ('prioritized' | 'delayed')[],
    start: number,
    end: number,
    ascending: boolean,
  ): Promise<({ opts?: { priority?: number } } | undefined)[]>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of BullMQ's Worker that is used, alike on both backends. */
export interface SendWorker {
  run(): Promise<void>;
  close(force?: boolean): Promise<void>;
  /** Closes it without waiting for its jobs, and cuts its connections: for one that hangs. */
  discard(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface WorkerSettings {
  concurrency: number;
  process: Processor<SendJob, void, 'send'>;
}

/** Connections of the queue in PostgreSQL, for each lane. */
export interface LaneConnections {
  /** For adding jobs. */
  adding: number;
  /** For taking jobs and settling them; 0 where no worker is opened. BullMQ listens on one more. */
  working: number;
}

/** Where BullMQ keeps its jobs. */
export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';
  openQueue(name: string): SendQueue;
  openWorker(name: string, settings: WorkerSettings): SendWorker;
  /** To be called when every queue and worker is closed. */
  close(): Promise<void>;
}

/** Jobs are hints: a finished one leaves nothing behind, and a failed one is found again by the relay. */
const KEEP_NOTHING = { count: 0 };
/** BullMQ gives a job up when it stalled more often than this; the relay would find its messages all the same. */
const MAX_STALLED = 10;

const FAILURE_PAUSE_MS = 250;
/** BullMQ's own is 15 s, for which a lane would stand still after its store or Redis refused one connection. */
const REFUSED_PAUSE_MS = 500;

/** A Redis that does not answer for longer is gone without a word. A worker blocks for up to 10 s (BullMQ 6.7). */
const SILENCE_MS = 20_000;

const workerOptions = ({ concurrency }: WorkerSettings) => ({
  concurrency,
  autorun: false,
  removeOnComplete: KEEP_NOTHING,
  removeOnFail: KEEP_NOTHING,
  maxStalledCount: MAX_STALLED,
  runRetryDelay: REFUSED_PAUSE_MS,
});

/**
 * BullMQ in the schema `bullmq` of the store itself. Its commits need not wait for the disk: a job that a crash forgets
 * is found again by the relay.
 */
export function postgresBackend(
  url: string,
  prefix: string,
  connections: LaneConnections,
  log: Logger,
  telemetry?: Telemetry,
): QueueBackend {
  const bound = withBackend(storeBackend);
  const connection = (size: number): QueueConnectionOptions => ({ url, size, log });
  return {
    kind: 'postgres',
    // This backend has no prefixes; the name carries it.
    openQueue: (name) =>
      new bound.Queue<SendJob, void, 'send'>(`${prefix}-${name}`, {
        connection: connection(connections.adding),
        telemetry,
      }),
    openWorker: (name, settings) => {
      const worker = new bound.Worker<SendJob, void, 'send'>(`${prefix}-${name}`, settings.process as never, {
        ...workerOptions(settings),
        connection: connection(connections.working),
        telemetry,
      });
      return Object.assign(unhurried(worker), { discard: () => worker.close(true) });
    },
    close: async () => undefined,
  };
}

/**
 * BullMQ (6.7) asks a PostgreSQL that is away, or a Redis that refused it something as it was opened, for the next job again
 * and again without giving the event loop a turn, so that the whole process hangs: a failure is told to it only after a moment.
 */
function unhurried<W extends object>(worker: W): W {
  const asking = worker as unknown as { _getNextJob(...args: unknown[]): Promise<unknown> };
  const ask = asking._getNextJob.bind(worker);
  asking._getNextJob = async (...args) => {
    try {
      return await ask(...args);
    } catch (error) {
      await pause(FAILURE_PAUSE_MS);
      throw error;
    }
  };
  return worker;
}

/** BullMQ on Redis, which needs `maxmemory-policy noeviction` and should have its append-only file on. */
export function redisBackend(url: string, prefix: string, log: Logger, telemetry?: Telemetry): QueueBackend {
  const connections = new Set<RedisConnection>();
  const connect = (options: { enableOfflineQueue: boolean }): RedisConnection => {
    // Workers block on Redis, so BullMQ demands it of them; adds are raced against a deadline instead.
    const settings = {
      maxRetriesPerRequest: null,
      retryStrategy: reconnectDelayMs,
      socketTimeout: SILENCE_MS,
      ...options,
    };
    const redis = openRedis(url, settings, (error) => log.debug({ err: error }, 'redis is away'));
    connections.add(redis);
    return redis;
  };
  const ofKeys = keyPrefix(url, prefix);
  return {
    kind: 'redis',
    openQueue: (name) =>
      new Queue<SendJob, void, 'send'>(name, {
        prefix: ofKeys,
        connection: connect({ enableOfflineQueue: false }),
        telemetry,
      }),
    openWorker: (name, settings) => {
      const redis = connect({ enableOfflineQueue: true });
      const worker = new Worker<SendJob, void, 'send'>(name, settings.process as never, {
        ...workerOptions(settings),
        prefix: ofKeys,
        connection: redis,
        telemetry,
      });
      const discard = async () => {
        connections.delete(redis);
        // First, for a close waits for the answers that never come.
        redis.disconnect();
        await worker.close(true);
      };
      return Object.assign(unhurried(worker), { discard });
    },
    close: async () => {
      for (const redis of connections) redis.disconnect();
    },
  };
}
