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

/** A job contains only message IDs, so that texts stay in PostgreSQL. */
export interface SendJob {
  ids: PackedIds;
  carrier: string;
  line?: JobLine;
}

/** Short form of a line in LaneOrder, with abbreviated IDs that only need to be distinct. */
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
  /** Returns waiting jobs in the order in which they will run, and delayed jobs in the order in which they become available. */
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
  /** Closes a hung worker by cutting its connections, without waiting for its jobs. */
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
  /** Number of connections that run jobs, to which BullMQ adds one for listening. */
  working: number;
}

export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';
  openQueue(name: string): SendQueue;
  openWorker(name: string, settings: WorkerSettings): SendWorker;
  close(): Promise<void>;
}

/** Finished jobs are not kept, because the relay finds the messages of a failed job. */
const KEEP_NOTHING = { count: 0 };
/** BullMQ drops a job that stalls more often than this, and the relay then finds the job's messages. */
const MAX_STALLED = 10;

const FAILURE_PAUSE_MS = 250;
/** Pause of a lane after PostgreSQL or Redis has refused a connection, shorter than BullMQ's default of 15 s. */
const REFUSED_PAUSE_MS = 500;

/** Longest silence on a connection, which must exceed the 10 s for which a worker may block (BullMQ 6.7). */
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
    // The PostgreSQL backend has no prefix option, so the queue name contains the prefix.
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
 * Delays the error of a failed job request, because BullMQ (6.7) retries it in a tight loop that would hang the whole process.
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
    // BullMQ requires unlimited retries (null) for workers, which block on Redis. Adding jobs has its own deadline instead.
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
        // Disconnect first, because `close` would wait for responses that never come.
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
