import { DelayedError, type Job } from 'bullmq';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { LANES, type Lane } from '../lanes.js';
import type { QueueBackend, SendJob } from './backend.js';
import { CarrierGate } from './carrier-gate.js';
import { JOB_MESSAGES } from './jobs.js';
import type { Place } from './lane-order.js';
import { LaneWorker } from './lane-worker.js';
import { unpackIds } from './packed-ids.js';

/** Jobs that a slow carrier holds of a lane, in shares; those that do not run are at hand when one ends. */
const HELD_SHARES = 4;
/** Jobs that a lane takes from the queue, in shares: four carriers may hang before others have to wait. */
const LANE_SHARES = 16;

/** Of the messages of a job that failed, so many are named. */
const NAMED_MESSAGES = 20;

export interface WorkersOptions {
  backend: QueueBackend;
  log: Logger;
  /** BullMQ's, which is the machine's. */
  clock: Clock;
  /** Jobs of one carrier at once in each lane. */
  concurrency: number;
  /** Told of every job that is taken, with its number. */
  onTaken(lane: Lane, number: number): void;
  /** Sends the messages of one job. */
  send(ids: readonly string[], lane: Lane, signal: AbortSignal): Promise<void>;
}

/** The BullMQ workers of this process, one per lane. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #workers: Record<Lane, LaneWorker>;
  readonly #gates: Record<Lane, Map<string, CarrierGate>> = { urgent: new Map(), bulk: new Map() };
  readonly #stop = new AbortController();

  constructor(options: WorkersOptions) {
    this.#options = options;
    const open = (lane: Lane) =>
      new LaneWorker({
        lane,
        log: options.log,
        open: () =>
          options.backend.openWorker(lane, {
            concurrency: options.concurrency * LANE_SHARES,
            process: (job, token) => this.#workers[lane].during(() => this.#process(lane, job, token)),
          }),
      });
    this.#workers = { urgent: open('urgent'), bulk: open('bulk') };
  }

  start(): void {
    for (const lane of LANES) this.#workers[lane].start();
  }

  /**
   * Call it now and then with what the queue holds: a worker that takes no ready job for long is opened again.
   * @param ready lanes with jobs that may run now
   * @param empty lanes without any job
   */
  look(ready: readonly Lane[], empty: readonly Lane[]): void {
    for (const lane of LANES) this.#workers[lane].look(ready.includes(lane));
    for (const lane of empty) for (const gate of this.#gates[lane].values()) gate.forgetReturns();
  }

  metrics(): Metric[] {
    return [
      {
        name: 'heliograph_queue_workers_reopened_total',
        help: 'Workers that were opened anew because they took nothing for ten seconds although jobs were ready, by lane',
        type: 'counter',
        labels: ['lane'],
        read: () => LANES.map((lane) => ({ labels: { lane }, value: this.#workers[lane].reopened })),
      },
    ];
  }

  /**
   * Takes no more jobs, lets the running ones write down what they sent, and gives the rest back.
   * @param timeoutMs after which connections are cut: `close` alone waits for a Redis that is away
   */
  async close(timeoutMs: number): Promise<void> {
    this.#stop.abort();
    for (const lane of LANES) for (const gate of this.#gates[lane].values()) gate.clear();
    await Promise.all(LANES.map((lane) => this.#workers[lane].close(timeoutMs)));
  }

  async #process(lane: Lane, job: Job<SendJob, void, 'send'>, token: string | undefined): Promise<void> {
    this.#options.onTaken(lane, job.opts.priority ?? 0);
    const gate = this.#gateOf(lane, job.data.carrier);
    const ids = unpackIds(job.data.ids);
    const entry = await gate.enter(placeOf(job, ids.length));
    if (!entry.run) {
      await job.moveToDelayed(this.#options.clock.now().getTime() + entry.againInMs, token);
      throw new DelayedError();
    }
    try {
      await this.#send(ids, lane);
    } finally {
      gate.leave();
    }
  }

  /** @param carrier undefined in a job of the version before */
  #gateOf(lane: Lane, carrier: string | undefined): CarrierGate {
    const gates = this.#gates[lane];
    const name = carrier ?? '';
    const { concurrency } = this.#options;
    const gate = gates.get(name) ?? new CarrierGate({ share: concurrency, held: concurrency * HELD_SHARES });
    gates.set(name, gate);
    return gate;
  }

  async #send(ids: readonly string[], lane: Lane): Promise<void> {
    try {
      await this.#options.send(ids, lane, this.#stop.signal);
    } catch (error) {
      // The job is done with either way: what it did not settle, the relay finds by its lease.
      const said = { err: error, messages: ids.length, messageIds: ids.slice(0, NAMED_MESSAGES) };
      this.#options.log.warn(said, 'a job failed; the relay takes its messages up');
    }
  }
}

/** A job of several accounts holds little of each: its line is its own. */
function placeOf({ id, data }: Job<SendJob, void, 'send'>, messages: number): Place {
  const { line: { account, campaign, first } = {} } = data;
  const share = messages / JOB_MESSAGES;
  return { accountId: account ?? `job ${id}`, campaignId: campaign ?? null, first: first ?? false, share };
}
