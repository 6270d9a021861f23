import { setTimeout as pause } from 'node:timers/promises';
import { type Processor, Queue, type Telemetry, Worker, withBackend } from 'bullmq';
import type { Logger } from 'pino';
import {
  buildKeyPrefix,
  getReconnectDelayMs,
  openRedis,
  type RedisConnection,
} from '../../platform/redis/connections.js';
import type { PackedIds } from './packed-ids.js';
import { type QueueConnectionOptions, storeBackend } from './postgres/store-backend.js';

/** Contains only IDs; texts stay in PostgreSQL. */
export interface SendJob {
  ids: PackedIds;
  carrier: string;
  line?: JobLine;
}

/** A line of LaneOrder in a short form; the values only need to be distinct. */
export interface JobLine {
  account: string;
  campaign?: string;
  first?: true;
}

export interface NewJob {
  name: 'send';
  data: SendJob;
  opts: { priority: number; removeOnComplete: boolean; removeOnFail: boolean; attempts: number };
  traceparent: string | null;
}

/** The part of BullMQ's Queue that both backends support. */
export interface SendQueue {
  add(name: 'send', data: SendJob, opts: NewJob['opts']): Promise<unknown>;
  addBulk(jobs: NewJob[]): Promise<unknown>;
  /**
   * Returns jobs in the order in which they will run; delayed jobs, in the order in which they will return to the
   * queue.
   */
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

export interface SendWorker {
  run(): Promise<void>;
  close(force?: boolean): Promise<void>;
  /** Closes a hung worker: does not wait for its jobs and cuts its connections. */
  discard(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface WorkerSettings {
  concurrency: number;
  process: Processor<SendJob, void, 'send'>;
}

export interface LaneConnections {
  /** For adding jobs. */
  adding: number;
  /** BullMQ uses one more connection to listen. */
  working: number;
}

export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';
  openQueue(name: string): SendQueue;
  openWorker(name: string, settings: WorkerSettings): SendWorker;
  close(): Promise<void>;
}

/** Finished jobs are not kept: they are only hints, and the relay finds the messages of a failed job. */
const KEEP_NOTHING = { count: 0 };
/** BullMQ drops a job that stalls more often than this. The relay finds its messages. */
const MAX_STALLED = 10;

const FAILURE_PAUSE_MS = 250;
/** Replaces BullMQ's pause of 15 s for a lane after PostgreSQL or Redis refused one connection. */
const REFUSED_PAUSE_MS = 500;

/** Longer than a worker blocks, which is up to 10 s (BullMQ 6.7). */
const SILENCE_MS = 20_000;

const toWorkerOptions = ({ concurrency }: WorkerSettings) => ({
  concurrency,
  autorun: false,
  removeOnComplete: KEEP_NOTHING,
  removeOnFail: KEEP_NOTHING,
  maxStalledCount: MAX_STALLED,
  runRetryDelay: REFUSED_PAUSE_MS,
});

/** Commits of the queue do not wait for the disk, because the relay recovers jobs lost in a crash. */
export function openPostgresBackend(
  url: string,
  prefix: string,
  connections: LaneConnections,
  log: Logger,
  telemetry?: Telemetry,
): QueueBackend {
  const bullmq = withBackend(storeBackend);
  const toConnection = (size: number): QueueConnectionOptions => ({ url, size, log });
  return {
    kind: 'postgres',
    // This backend has no prefix option, so the queue name carries it.
    openQueue: (name) =>
      new bullmq.Queue<SendJob, void, 'send'>(`${prefix}-${name}`, {
        connection: toConnection(connections.adding),
        telemetry,
      }),
    openWorker: (name, settings) => {
      const worker = new bullmq.Worker<SendJob, void, 'send'>(`${prefix}-${name}`, settings.process as never, {
        ...toWorkerOptions(settings),
        connection: toConnection(connections.working),
        telemetry,
      });
      return Object.assign(withFailurePause(worker), { discard: () => worker.close(true) });
    },
    close: async () => undefined,
  };
}

/**
 * BullMQ (6.7) retries a failed request for the next job in a tight loop that never yields to the event loop, so the
 * whole process hangs. Delaying the error prevents that.
 */
function withFailurePause<W extends object>(worker: W): W {
  const client = worker as unknown as { _getNextJob(...args: unknown[]): Promise<unknown> };
  const getNextJob = client._getNextJob.bind(worker);
  client._getNextJob = async (...args) => {
    try {
      return await getNextJob(...args);
    } catch (error) {
      await pause(FAILURE_PAUSE_MS);
      throw error;
    }
  };
  return worker;
}

/** Redis needs `maxmemory-policy noeviction` and should use an append-only file. */
export function openRedisBackend(url: string, prefix: string, log: Logger, telemetry?: Telemetry): QueueBackend {
  const connections = new Set<RedisConnection>();
  const connect = (options: { enableOfflineQueue: boolean }): RedisConnection => {
    // BullMQ requires null retries for workers, which block on Redis. Adds have their own deadline instead.
    const settings = {
      maxRetriesPerRequest: null,
      retryStrategy: getReconnectDelayMs,
      socketTimeout: SILENCE_MS,
      ...options,
    };
    const redis = openRedis(url, settings, (error) => log.debug({ err: error }, 'lost a connection to Redis'));
    connections.add(redis);
    return redis;
  };
  const fullPrefix = buildKeyPrefix(url, prefix);
  return {
    kind: 'redis',
    openQueue: (name) =>
      new Queue<SendJob, void, 'send'>(name, {
        prefix: fullPrefix,
        connection: connect({ enableOfflineQueue: false }),
        telemetry,
      }),
    openWorker: (name, settings) => {
      const redis = connect({ enableOfflineQueue: true });
      const worker = new Worker<SendJob, void, 'send'>(name, settings.process as never, {
        ...toWorkerOptions(settings),
        prefix: fullPrefix,
        connection: redis,
        telemetry,
      });
      const discard = async () => {
        connections.delete(redis);
        // Disconnect first: `close` would wait for responses that never come.
        redis.disconnect();
        await worker.close(true);
      };
      return Object.assign(withFailurePause(worker), { discard });
    },
    close: async () => {
      for (const redis of connections) redis.disconnect();
    },
  };
}
