import { type JobSource, LaneOrder } from './lane-order.js';

/** A carrier is slow if the average time between finished jobs exceeds this limit, or if no job has finished for STUCK_MS. */
const SLOW_MS = 100;
const STUCK_MS = 500;
const CHECK_EVERY_MS = 100;
/** Weight of the latest interval in the moving average. */
const LATEST_WEIGHT = 0.3;
/**
 * Limits for the delay of a job that was put back in the queue. The upper limit bounds how long a recovered carrier stays idle.
 */
const RETURN_DELAY_MS = { soonest: 250, latest: 300_000 };
/** Pace assumed for a carrier that does not respond at all. */
const SLOWEST_PACE_MS = 1_000;

export type GateEntry = { run: true } | { run: false; returnInMs: number };

export interface CarrierGateOptions {
  /** Jobs that may run at the same time. */
  maxRunning: number;
  maxHeld: number;
}

/** Small jobs, up to this share of a full job, have additional slots, so that they do not wait for full jobs. */
const SMALL_SHARE = 0.1;

interface WaitingJob {
  number: number;
  isSmall: boolean;
  resolve(entry: GateEntry): void;
}

/** Puts most jobs of a slow carrier back in the queue, so that the carrier does not occupy the whole lane. */
export class CarrierGate {
  readonly #options: CarrierGateOptions;
  readonly #order = new LaneOrder();
  readonly #waiting: WaitingJob[] = [];
  #running = 0;
  /** Moving average of the time between the ends of jobs while all slots are in use, in milliseconds. */
  #intervalMs = 0;
  #lastEnd = 0;
  /**
   * Times, by `performance.now()`, at which jobs that were put back in the queue become available again. A mere count of these
   * jobs would stay too high if a job was lost or run by another process.
   */
  #returnTimes: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CarrierGateOptions) {
    this.#options = options;
  }

  /** Resolves once the job may run or must be put back in the queue. The caller must call `leave` after every run. */
  async enter(job: JobSource): Promise<GateEntry> {
    const number = this.#order.assignNumber(job);
    const isSmall = job.share <= SMALL_SHARE;
    if (this.#hasRoom(isSmall)) {
      if (this.#running < this.#options.maxRunning) this.#lastEnd = performance.now();
      this.#running += 1;
      this.#order.advanceTo(number);
      return { run: true };
    }
    return new Promise((resolve) => {
      const before = this.#waiting.findIndex((waiting) => waiting.number > number);
      this.#waiting.splice(before < 0 ? this.#waiting.length : before, 0, { number, isSmall, resolve });
      this.#timer ??= setInterval(() => this.#sendBack(), CHECK_EVERY_MS);
      this.#sendBack();
    });
  }

  leave(): void {
    if (this.#running >= this.#options.maxRunning) {
      const now = performance.now();
      this.#intervalMs += (now - this.#lastEnd - this.#intervalMs) * LATEST_WEIGHT;
      this.#lastEnd = now;
    }
    this.#running -= 1;
    const index = this.#waiting.findIndex(({ isSmall }) => this.#hasRoom(isSmall));
    const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (next) {
      this.#running += 1;
      this.#order.advanceTo(next.number);
      next.resolve({ run: true });
    }
    if (this.#waiting.length === 0) this.#stopChecking();
  }

  /** Puts all waiting jobs back in the queue. */
  sendAllBack(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve({ run: false, returnInMs: 0 });
    this.#stopChecking();
  }

  /** Must be called when the lane's queue is empty, to forget jobs that were put back in the queue and no longer exist. */
  forgetReturns(): void {
    this.#returnTimes = [];
  }

  #hasRoom(isSmall: boolean): boolean {
    return this.#running < this.#options.maxRunning + (isSmall ? 1 : 0);
  }

  #sendBack(): void {
    const { maxRunning, maxHeld } = this.#options;
    const now = performance.now();
    const stuckMs = now - this.#lastEnd;
    if (this.#intervalMs <= SLOW_MS && stuckMs <= STUCK_MS) return;
    const paceMs = Math.min(Math.max(this.#intervalMs, stuckMs), SLOWEST_PACE_MS);
    if (this.#waiting.length <= maxHeld - maxRunning) return;
    this.#returnTimes = this.#returnTimes.filter((returnsAt) => returnsAt > now);
    for (const { resolve } of this.#waiting.splice(maxHeld - maxRunning)) {
      // Jobs become available at twice the carrier's pace, so that the gate detects when the carrier becomes faster.
      const idealMs = ((this.#waiting.length + this.#returnTimes.length + 1) * paceMs) / 2;
      const returnInMs = Math.min(Math.max(idealMs, RETURN_DELAY_MS.soonest), RETURN_DELAY_MS.latest);
      this.#returnTimes.push(now + returnInMs);
      resolve({ run: false, returnInMs });
    }
  }

  #stopChecking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
