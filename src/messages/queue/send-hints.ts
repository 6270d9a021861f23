import type { Logger } from 'pino';
import { GroupCommit } from '../../platform/group-commit.js';
import { withTimeout } from '../../platform/timeout.js';
import type { NewJob, QueueBackend, SendQueue } from './backend.js';
import { jobPriority, LANES, type Lane, laneOf, PRIORITIES, type Priority } from './lanes.js';
import { packIds } from './packed-ids.js';

/** Messages of one job at the most, so that it can soon be overtaken. */
const JOB_MESSAGES = 100;
/** Part of a second of the carrier's rate that one job may hold. */
const JOB_RATE_SHARE = 0.25;
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
const ADD_PAUSE_MS: Readonly<Record<Lane, number>> = { urgent: 5, bulk: 25 };
const COUNT_DEADLINE_MS = 1_000;

/** A message that is due, as the queue needs it. */
export interface DueMessage {
  id: string;
  priority: number;
  carrier: string;
}

export interface SendHintsOptions {
  backend: QueueBackend;
  log: Logger;
  /** Messages per second that a carrier takes; null when it sets no limit. */
  rateOf(carrier: string): number | null;
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
    await withTimeout(Promise.all(LANES.map((lane) => this.#queues[lane].waitUntilReady())), timeoutMs).catch(
      (error) => {
        this.#up = false;
        this.#options.log.warn({ err: error }, 'the queue is away; messages are accepted and wait for it');
      },
    );
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

  /** The priorities of which the queue holds no waiting job; null when it does not answer. */
  async emptyPriorities(): Promise<Priority[] | null> {
    try {
      const counts = await withTimeout(Promise.all(LANES.map((lane) => this.#counts(lane))), COUNT_DEADLINE_MS);
      this.#up = true;
      return PRIORITIES.filter((priority) => counts.every((count) => !count[jobPriority(priority)]));
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
      void this.emptyPriorities().then(() => {
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

  #counts(lane: Lane): Promise<Record<string, number>> {
    return this.#queues[lane].getCountsPerPriority(PRIORITIES.map(jobPriority));
  }

  #line(lane: Lane): GroupCommit<readonly DueMessage[], boolean> {
    return new GroupCommit({
      commit: async (hints) => {
        const added = await this.#addJobs(lane, this.#jobs(hints.flat()));
        return hints.map(() => added);
      },
      weigh: (hint) => hint.length,
      batchWeight: ADD_MESSAGES,
      waitingLimit: WAITING_MESSAGES,
      pauseMs: ADD_PAUSE_MS[lane],
    });
  }

  /** Jobs of one priority and one carrier each. */
  #jobs(messages: readonly DueMessage[]): NewJob[] {
    const groups = new Map<string, DueMessage[]>();
    for (const message of messages) {
      const group = `${message.priority} ${message.carrier}`;
      const known = groups.get(group);
      if (known) known.push(message);
      else groups.set(group, [message]);
    }
    return [...groups.values()].flatMap((group) => {
      const { priority, carrier } = group[0] as DueMessage;
      const size = this.#jobSize(carrier);
      const jobs: NewJob[] = [];
      for (let start = 0; start < group.length; start += size) {
        const ids = group.slice(start, start + size).map((message) => message.id);
        jobs.push({
          name: 'send',
          data: { ids: packIds(ids) },
          opts: { priority: jobPriority(priority), ...KEEP_NOTHING },
        });
      }
      return jobs;
    });
  }

  #jobSize(carrier: string): number {
    const rate = this.#options.rateOf(carrier);
    return rate === null ? JOB_MESSAGES : Math.max(1, Math.min(JOB_MESSAGES, Math.floor(rate * JOB_RATE_SHARE)));
  }

  async #addJobs(lane: Lane, jobs: NewJob[]): Promise<boolean> {
    if (this.#pending.size >= PENDING_ADDS) return false;
    const queue = this.#queues[lane];
    // On PostgreSQL an add in bulk makes temporary tables, which a few jobs are not worth.
    const adding: Promise<unknown> =
      jobs.length < BULK_JOBS
        ? Promise.all(jobs.map((job) => queue.add(job.name, job.data, job.opts)))
        : queue.addBulk(jobs);
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
      return true;
    } catch (error) {
      if (this.#up) this.#options.log.warn({ err: error, lane }, 'the queue is away; the relay will queue what waits');
      this.#up = false;
      return false;
    }
  }
}

const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true, attempts: 1 };
