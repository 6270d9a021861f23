import { DelayedError, type Job } from 'bullmq';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { LANES, type Lane } from '../lanes.js';
import type { QueueBackend, SendJob } from './backend.js';
import { CarrierGate } from './carrier-gate.js';
import { JOB_MESSAGES } from './jobs.js';
import type { JobSource } from './lane-order.js';
import { LaneWorker } from './lane-worker.js';
import { unpackIds } from './packed-ids.js';

/** Maximum number of jobs in a lane that a slow carrier may occupy, as a multiple of `concurrency`. */
const HELD_SHARES = 4;
/**
 * Maximum number of running jobs in a lane, as a multiple of `concurrency`, so that up to four hung carriers do not block other
 * carriers.
 */
const LANE_SHARES = 16;

const MAX_LOGGED_IDS = 20;

export interface WorkersOptions {
  backend: QueueBackend;
  log: Logger;
  /** Clock of the machine, which BullMQ uses. */
  clock: Clock;
  concurrency: number;
  onJobTaken(lane: Lane, number: number): void;
  send(ids: readonly string[], lane: Lane, signal: AbortSignal): Promise<void>;
}

/** One worker per lane. */
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
            process: (job, token) => this.#workers[lane].track(() => this.#process(lane, job, token)),
          }),
      });
    this.#workers = { urgent: open('urgent'), bulk: open('bulk') };
  }

  start(): void {
    for (const lane of LANES) this.#workers[lane].start();
  }

  /**
   * Reopens workers that take no ready jobs, and must be called regularly.
   * @param ready lanes with jobs that can run now
   * @param empty lanes without jobs
   */
  check(ready: readonly Lane[], empty: readonly Lane[]): void {
    for (const lane of LANES) this.#workers[lane].check(ready.includes(lane));
    for (const lane of empty) for (const gate of this.#gates[lane].values()) gate.forgetReturns();
  }

  metrics(): Metric[] {
    return [
      {
        name: 'heliograph_queue_workers_reopened_total',
        help: 'Workers that processed nothing for ten seconds although jobs were ready, and were restarted, by lane',
        type: 'counter',
        labels: ['lane'],
        read: () => LANES.map((lane) => ({ labels: { lane }, value: this.#workers[lane].reopened })),
      },
    ];
  }

  /**
   * Lets running jobs write the outcomes of submitted messages, and gives back messages that were not submitted.
   * @param timeoutMs time after which connections are cut, because `close` would wait for an unavailable Redis
   */
  async close(timeoutMs: number): Promise<void> {
    this.#stop.abort();
    for (const lane of LANES) for (const gate of this.#gates[lane].values()) gate.sendAllBack();
    await Promise.all(LANES.map((lane) => this.#workers[lane].close(timeoutMs)));
  }

  async #process(lane: Lane, job: Job<SendJob, void, 'send'>, token: string | undefined): Promise<void> {
    this.#options.onJobTaken(lane, job.opts.priority ?? 0);
    const gate = this.#gateFor(lane, job.data.carrier);
    const ids = unpackIds(job.data.ids);
    const entry = await gate.enter(toJobSource(job, ids.length));
    if (!entry.run) {
      await job.moveToDelayed(this.#options.clock.now().getTime() + entry.returnInMs, token);
      throw new DelayedError();
    }
    try {
      await this.#send(ids, lane);
    } finally {
      gate.leave();
    }
  }

  /** @param carrier undefined in jobs of the previous version */
  #gateFor(lane: Lane, carrier: string | undefined): CarrierGate {
    const gates = this.#gates[lane];
    const name = carrier ?? '';
    const { concurrency } = this.#options;
    const gate = gates.get(name) ?? new CarrierGate({ maxRunning: concurrency, maxHeld: concurrency * HELD_SHARES });
    gates.set(name, gate);
    return gate;
  }

  async #send(ids: readonly string[], lane: Lane): Promise<void> {
    try {
      await this.#options.send(ids, lane, this.#stop.signal);
    } catch (error) {
      // The relay finds unsent messages when their leases expire.
      const fields = { err: error, messages: ids.length, messageIds: ids.slice(0, MAX_LOGGED_IDS) };
      this.#options.log.warn(fields, 'a job failed; the relay will send its messages');
    }
  }
}

/** A job with messages of several accounts gets its own line. */
function toJobSource({ id, data }: Job<SendJob, void, 'send'>, messages: number): JobSource {
  const { line: { account, campaign, first } = {} } = data;
  const share = messages / JOB_MESSAGES;
  return { accountId: account ?? `job ${id}`, campaignId: campaign ?? null, first: first ?? false, share };
}
