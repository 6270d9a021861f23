import type { Logger } from 'pino';
import { GroupCommit } from '../../platform/group-commit.js';
import { withTimeout } from '../../platform/timeout.js';
import type { Traces } from '../../platform/tracing/traces.js';
import { LANES, type Lane, laneOf, PRIORITIES, type Priority } from '../lanes.js';
import type { NewJob, QueueBackend, SendQueue } from './backend.js';
import { type DueMessage, jobsOf } from './jobs.js';
import { LaneOrder } from './lane-order.js';

/** An add that takes longer counts as lost; BullMQ would wait for Redis without end. */
const ADD_DEADLINE_MS = 500;
/** Adds that may be under way; beyond it hints are dropped, for each holds its jobs in memory. */
const PENDING_ADDS = 100;
/** Messages that one add tells of, and that may wait for the add before it to end. */
const ADD_MESSAGES = 2_000;
const WAITING_MESSAGES = 20_000;
/** From this many jobs on, an add in bulk is cheaper. */
const BULK_JOBS = 10;
/**
 * Milliseconds between adds of a lane, unless a whole add waits: a job costs as much as the sending of dozens of
 * messages, so a busy lane fills them. What is urgent may have a caller who waits for it.
 */
const ADD_PAUSE_MS: Readonly<Record<Lane, number>> = { urgent: 5, bulk: 40 };
const LOOK_DEADLINE_MS = 1_000;
/** How often a process that adds jobs looks which is the next to run. */
const LOOK_EVERY_MS = 200;

/** Jobs of a lane that may run now, else those that come back later, else none. */
type LaneState = 'ready' | 'delayed' | 'empty';

/** What a look into the queue found. */
export interface QueueLook {
  /** The priorities of the lanes in which no job waits. */
  empty: Priority[];
  /** The lanes in which a job may run now. */
  ready: Lane[];
}

export interface SendHintsOptions {
  backend: QueueBackend;
  log: Logger;
  /** Messages per second that a carrier takes; null when it sets no limit. */
  rateOf(carrier: string): number | null;
  /** To which jobs belong; left out where nothing is traced. */
  traces?: Traces | null;
}

/**
 * Tells workers which messages are due. PostgreSQL is the truth: a hint that is lost costs time, never a message, so
 * nothing here throws and nothing waits for a queue that is away.
 */
export class SendHints {
  readonly #options: SendHintsOptions;
  readonly #queues: Record<Lane, SendQueue>;
  /** Hints that come while an add is under way go together into the next: fuller jobs, fewer of them. */
  readonly #lines: Record<Lane, GroupCommit<readonly DueMessage[], boolean>>;
  readonly #order: Record<Lane, LaneOrder> = { urgent: new LaneOrder(), bulk: new LaneOrder() };
  readonly #lookedAt: Record<Lane, number> = { urgent: 0, bulk: 0 };
  readonly #pending = new Set<Promise<boolean>>();
  #up = true;
  #probing = false;

  constructor(options: SendHintsOptions) {
    this.#options = options;
    const open = (lane: Lane): SendQueue => {
      const queue = options.backend.openQueue(lane);
      queue.on('error', (error) => options.log.debug({ err: error, lane }, 'the queue is away'));
      return queue;
    };
    this.#queues = { urgent: open('urgent'), bulk: open('bulk') };
    this.#lines = { urgent: this.#line('urgent'), bulk: this.#line('bulk') };
  }

  /** Resolves once both queues answered, or after a moment when they do not. */
  async ready(timeoutMs: number): Promise<void> {
    const ready = LANES.map(async (lane) => {
      await this.#queues[lane].waitUntilReady();
      await this.#look(lane);
    });
    await withTimeout(Promise.all(ready), timeoutMs).catch((error) => {
      this.#up = false;
      this.#options.log.warn({ err: error }, 'the queue is away; messages are accepted and wait for it');
    });
  }

  /** Adds jobs for messages that are due. Resolves to whether the queue took them all. */
  async add(messages: readonly DueMessage[]): Promise<boolean> {
    const added = await Promise.all(
      LANES.map((lane) => {
        const ofLane = messages.filter((message) => laneOf(message.priority) === lane);
        if (ofLane.length === 0) return true;
        // A full line drops the hint.
        return this.#lines[lane].add(ofLane).catch(() => false);
      }),
    );
    return added.every(Boolean);
  }

  /** To be told of each job that a worker of this process takes: with it the time of its lane moves on. */
  taken(lane: Lane, number: number): void {
    this.#order[lane].reached(number);
  }

  /** What waits in the lanes; null when the queue does not answer. */
  async waiting(): Promise<QueueLook | null> {
    try {
      const looks = Promise.all(LANES.map((lane) => this.#look(lane)));
      const found = await withTimeout(looks, LOOK_DEADLINE_MS);
      this.#up = true;
      const lanes = (state: LaneState) => LANES.filter((_, index) => found[index] === state);
      const empty = lanes('empty');
      return { empty: PRIORITIES.filter((priority) => empty.includes(laneOf(priority))), ready: lanes('ready') };
    } catch {
      this.#up = false;
      return null;
    }
  }

  /**
   * Whether the queue answered the last time it was asked. Never waits: it has the queue asked again in the background,
   * once at a time, so that a later answer is right.
   */
  state(): 'up' | 'down' {
    if (!this.#probing) {
      this.#probing = true;
      void this.waiting().then(() => {
        this.#probing = false;
      });
    }
    return this.#up ? 'up' : 'down';
  }

  /** Waits for adds under way and closes the queues. */
  async close(timeoutMs: number): Promise<void> {
    await Promise.all(LANES.map((lane) => this.#lines[lane].idle()));
    await withTimeout(Promise.all(this.#pending), timeoutMs).catch(() => undefined);
    const closing = Promise.all(LANES.map((lane) => this.#queues[lane].close()));
    await withTimeout(closing, timeoutMs).catch(() => this.#options.log.debug('the queue did not close in time'));
  }

  /** What waits in a lane. By the way it learns where the turns of the lane are. */
  async #look(lane: Lane): Promise<LaneState> {
    const [next] = await this.#queues[lane].getJobs(['prioritized'], 0, 0, true);
    const number = next?.opts?.priority;
    if (number) this.#order[lane].reached(number);
    if (next) return 'ready';
    if ((await this.#queues[lane].getJobs(['delayed'], 0, 0, true)).length > 0) return 'delayed';
    this.#order[lane].drained();
    return 'empty';
  }

  #line(lane: Lane): GroupCommit<readonly DueMessage[], boolean> {
    return new GroupCommit({
      commit: async (hints) => {
        const added = await this.#addJobs(lane, jobsOf(hints.flat(), this.#order[lane], this.#options.rateOf));
        return hints.map(() => added);
      },
      weigh: (hint) => hint.length,
      batchWeight: ADD_MESSAGES,
      waitingLimit: WAITING_MESSAGES,
      pauseMs: ADD_PAUSE_MS[lane],
    });
  }

  async #addJobs(lane: Lane, jobs: NewJob[]): Promise<boolean> {
    if (this.#pending.size >= PENDING_ADDS) return false;
    const queue = this.#queues[lane];
    // On PostgreSQL an add in bulk makes temporary tables, which a few jobs are not worth.
    const adding: Promise<unknown> =
      jobs.length < BULK_JOBS ? Promise.all(jobs.map((job) => this.#addJob(queue, job))) : queue.addBulk(jobs);
    // An add that outlives its deadline still counts as pending: what piles up is what must be bounded.
    const settled = adding.then(
      () => true,
      () => false,
    );
    this.#pending.add(settled);
    void settled.then(() => this.#pending.delete(settled));
    try {
      await withTimeout(adding, ADD_DEADLINE_MS);
      this.#up = true;
      this.#lookForTurn(lane);
      return true;
    } catch (error) {
      if (this.#up) this.#options.log.warn({ err: error, lane }, 'the queue is away; the relay will queue what waits');
      this.#up = false;
      return false;
    }
  }

  #addJob(queue: SendQueue, { name, data, opts, traceparent }: NewJob): Promise<unknown> {
    const add = () => queue.add(name, data, opts);
    const { traces } = this.#options;
    return traces ? traces.within(traceparent, add) : add();
  }

  /** Moves the time of a lane on where no worker of this process does. */
  #lookForTurn(lane: Lane): void {
    const now = performance.now();
    if (now - this.#lookedAt[lane] < LOOK_EVERY_MS) return;
    this.#lookedAt[lane] = now;
    void this.#look(lane).catch(() => undefined);
  }
}
