import type { Logger } from 'pino';
import { GroupCommit } from '../../platform/group-commit.js';
import { withTimeout } from '../../platform/timeout.js';
import type { Traces } from '../../platform/tracing/traces.js';
import { LANES, type Lane, laneFor, PRIORITIES, type Priority } from '../lanes.js';
import type { NewJob, QueueBackend, SendQueue } from './backend.js';
import { buildJobs, type DueMessage } from './jobs.js';
import { LaneOrder } from './lane-order.js';

/** Adding a job counts as failed after this time, because BullMQ would otherwise wait for Redis forever. */
const ADD_DEADLINE_MS = 500;
/** Above this number of pending adds, hints are dropped, because each add keeps its jobs in memory. */
const MAX_PENDING_ADDS = 100;
/** Maximum messages in one add, and maximum messages that wait for the previous add. */
const ADD_MESSAGES = 2_000;
const WAITING_MESSAGES = 20_000;
const BULK_JOBS = 10;
/**
 * Before adding an incomplete batch of hints, a lane pauses to collect more, because a job costs as much as sending dozens of
 * messages.
 */
const ADD_PAUSE_MS: Readonly<Record<Lane, number>> = { urgent: 5, bulk: 40 };
const INSPECT_DEADLINE_MS = 1_000;
const INSPECT_EVERY_MS = 200;

/** All jobs of a `delayed` lane become available only later. */
type LaneState = 'ready' | 'delayed' | 'empty';

export interface QueueContents {
  empty: Priority[];
  ready: Lane[];
}

export interface SendHintsOptions {
  backend: QueueBackend;
  log: Logger;
  /** Maximum messages per second, or null for no limit. */
  rateLimitFor(carrier: string): number | null;
  traces?: Traces | null;
}

/** Adds hints without throwing or waiting for an unavailable queue, because the relay finds the messages of lost hints. */
export class SendHints {
  readonly #options: SendHintsOptions;
  readonly #queues: Record<Lane, SendQueue>;
  /** Hints that arrive during an add go together into the next add, which gives fewer and fuller jobs. */
  readonly #batchers: Record<Lane, GroupCommit<readonly DueMessage[], boolean>>;
  readonly #order: Record<Lane, LaneOrder> = { urgent: new LaneOrder(), bulk: new LaneOrder() };
  readonly #inspectedAt: Record<Lane, number> = { urgent: 0, bulk: 0 };
  readonly #pending = new Set<Promise<boolean>>();
  #up = true;
  #probing = false;

  constructor(options: SendHintsOptions) {
    this.#options = options;
    const open = (lane: Lane): SendQueue => {
      const queue = options.backend.openQueue(lane);
      queue.on('error', (error) => options.log.debug({ err: error, lane }, 'lost a connection to the queue'));
      return queue;
    };
    this.#queues = { urgent: open('urgent'), bulk: open('bulk') };
    this.#batchers = { urgent: this.#createBatcher('urgent'), bulk: this.#createBatcher('bulk') };
  }

  async waitUntilReady(timeoutMs: number): Promise<void> {
    const ready = LANES.map(async (lane) => {
      await this.#queues[lane].waitUntilReady();
      await this.#inspectLane(lane);
    });
    await withTimeout(Promise.all(ready), timeoutMs).catch((error) => {
      this.#up = false;
      this.#options.log.warn(
        { err: error },
        'the queue is unavailable; messages are accepted and will be queued later',
      );
    });
  }

  async add(messages: readonly DueMessage[]): Promise<boolean> {
    const added = await Promise.all(
      LANES.map((lane) => {
        const laneMessages = messages.filter((message) => laneFor(message.priority) === lane);
        if (laneMessages.length === 0) return true;
        return this.#batchers[lane].add(laneMessages).catch(() => false);
      }),
    );
    return added.every(Boolean);
  }

  recordTaken(lane: Lane, number: number): void {
    this.#order[lane].advanceTo(number);
  }

  /** Returns null if the queue does not respond. */
  async inspect(): Promise<QueueContents | null> {
    try {
      const inspections = Promise.all(LANES.map((lane) => this.#inspectLane(lane)));
      const states = await withTimeout(inspections, INSPECT_DEADLINE_MS);
      this.#up = true;
      const lanesIn = (state: LaneState) => LANES.filter((_, index) => states[index] === state);
      const empty = lanesIn('empty');
      return { empty: PRIORITIES.filter((priority) => empty.includes(laneFor(priority))), ready: lanesIn('ready') };
    } catch {
      this.#up = false;
      return null;
    }
  }

  /** Returns the last known state of the queue, and starts a check in the background whose result later calls return. */
  checkState(): 'up' | 'down' {
    if (!this.#probing) {
      this.#probing = true;
      void this.inspect().then(() => {
        this.#probing = false;
      });
    }
    return this.#up ? 'up' : 'down';
  }

  async close(timeoutMs: number): Promise<void> {
    await Promise.all(LANES.map((lane) => this.#batchers[lane].waitUntilIdle()));
    await withTimeout(Promise.all(this.#pending), timeoutMs).catch(() => undefined);
    const closing = Promise.all(LANES.map((lane) => this.#queues[lane].close()));
    await withTimeout(closing, timeoutMs).catch(() => this.#options.log.debug('the queue did not close in time'));
  }

  async #inspectLane(lane: Lane): Promise<LaneState> {
    const [next] = await this.#queues[lane].getJobs(['prioritized'], 0, 0, true);
    const number = next?.opts?.priority;
    if (number) this.#order[lane].advanceTo(number);
    if (next) return 'ready';
    if ((await this.#queues[lane].getJobs(['delayed'], 0, 0, true)).length > 0) return 'delayed';
    this.#order[lane].catchUp();
    return 'empty';
  }

  #createBatcher(lane: Lane): GroupCommit<readonly DueMessage[], boolean> {
    return new GroupCommit({
      commit: async (hints) => {
        const added = await this.#addJobs(lane, buildJobs(hints.flat(), this.#order[lane], this.#options.rateLimitFor));
        return hints.map(() => added);
      },
      weigh: (hint) => hint.length,
      batchWeight: ADD_MESSAGES,
      waitingLimit: WAITING_MESSAGES,
      pauseMs: ADD_PAUSE_MS[lane],
    });
  }

  async #addJobs(lane: Lane, jobs: NewJob[]): Promise<boolean> {
    if (this.#pending.size >= MAX_PENDING_ADDS) return false;
    const queue = this.#queues[lane];
    // A bulk add on PostgreSQL creates temporary tables, which costs too much for a few jobs.
    const adding: Promise<unknown> =
      jobs.length < BULK_JOBS ? Promise.all(jobs.map((job) => this.#addJob(queue, job))) : queue.addBulk(jobs);
    // An add past its deadline still counts as pending, because the limit protects memory.
    const settled = adding.then(
      () => true,
      () => false,
    );
    this.#pending.add(settled);
    void settled.then(() => this.#pending.delete(settled));
    try {
      await withTimeout(adding, ADD_DEADLINE_MS);
      this.#up = true;
      this.#updateOrder(lane);
      return true;
    } catch (error) {
      if (this.#up)
        this.#options.log.warn(
          { err: error, lane },
          'the queue is unavailable; the relay will queue waiting messages later',
        );
      this.#up = false;
      return false;
    }
  }

  #addJob(queue: SendQueue, { name, data, opts, traceparent }: NewJob): Promise<unknown> {
    const add = () => queue.add(name, data, opts);
    const { traces } = this.#options;
    return traces ? traces.runWithin(traceparent, add) : add();
  }

  #updateOrder(lane: Lane): void {
    const now = performance.now();
    if (now - this.#inspectedAt[lane] < INSPECT_EVERY_MS) return;
    this.#inspectedAt[lane] = now;
    void this.#inspectLane(lane).catch(() => undefined);
  }
}
