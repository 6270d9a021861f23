import { LaneOrder, type Place } from './lane-order.js';

/** A carrier is slow when its jobs end further apart than this in the mean, or when none has ended for so long. */
const SLOW_MS = 100;
const STUCK_MS = 500;
const CHECK_EVERY_MS = 100;
/** Weight of the last interval in the mean. */
const NEWEST = 0.3;
/** Bounds of the time after which a job comes again. The upper one bounds how long a carrier that is back lies idle. */
const AGAIN_MS = { soonest: 250, latest: 300_000 };
/** Of a carrier that does not answer it is not known when it will; its jobs come again as if one ended every second. */
const SLOWEST_PACE_MS = 1_000;

/** What a job is told: run now, or come again in so many milliseconds. */
export type Entry = { run: true } | { run: false; againInMs: number };

export interface CarrierGateOptions {
  /** Jobs that run at once. */
  share: number;
  /** Jobs that it holds while it is slow, with those that run. */
  held: number;
}

/** A job that is so small a part of a full one may run beside the share, one at a time: it need not wait for full ones. */
const SMALL = 0.1;

interface Waiting {
  number: number;
  small: boolean;
  resolve(entry: Entry): void;
}

/**
 * The share of one carrier in the slots of a lane in this process. So many of its jobs run at once; those beyond wait,
 * and their accounts take turns. While the carrier is slow only some may wait: the rest is sent back to the queue, so that
 * a carrier that does not answer holds its share and not the whole lane.
 */
export class CarrierGate {
  readonly #options: CarrierGateOptions;
  readonly #order = new LaneOrder();
  readonly #waiting: Waiting[] = [];
  #running = 0;
  /** Mean of the milliseconds from the end of one job to that of the next while all of the share was in use. */
  #intervalMs = 0;
  #lastEnd = 0;
  /**
   * When each job that was sent back comes again, by `performance.now()`. Moments rather than a count: a job that the queue
   * lost, or that another process takes, would be counted for ever.
   */
  #returns: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CarrierGateOptions) {
    this.#options = options;
  }

  /** Resolves when the job may run, or is not to wait here. `leave` must follow every run. */
  async enter(place: Place): Promise<Entry> {
    const number = this.#order.next(place);
    const small = place.share <= SMALL;
    if (this.#hasRoom(small)) {
      if (this.#running < this.#options.share) this.#lastEnd = performance.now();
      this.#running += 1;
      this.#order.reached(number);
      return { run: true };
    }
    return new Promise((resolve) => {
      const before = this.#waiting.findIndex((waiting) => waiting.number > number);
      this.#waiting.splice(before < 0 ? this.#waiting.length : before, 0, { number, small, resolve });
      this.#timer ??= setInterval(() => this.#sendBack(), CHECK_EVERY_MS);
      this.#sendBack();
    });
  }

  /** A job has run: the next one may. */
  leave(): void {
    if (this.#running >= this.#options.share) {
      const now = performance.now();
      this.#intervalMs += (now - this.#lastEnd - this.#intervalMs) * NEWEST;
      this.#lastEnd = now;
    }
    this.#running -= 1;
    const index = this.#waiting.findIndex(({ small }) => this.#hasRoom(small));
    const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (next) {
      this.#running += 1;
      this.#order.reached(next.number);
      next.resolve({ run: true });
    }
    if (this.#waiting.length === 0) this.#stopChecking();
  }

  /** Sends everything back that waits. */
  clear(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve({ run: false, againInMs: 0 });
    this.#stopChecking();
  }

  /** The queue holds no job of the lane any more, so nothing that was sent back comes again. */
  forgetReturns(): void {
    this.#returns = [];
  }

  #hasRoom(small: boolean): boolean {
    return this.#running < this.#options.share + (small ? 1 : 0);
  }

  /** Of a slow carrier, those whose turn comes last go. */
  #sendBack(): void {
    const { share, held } = this.#options;
    const now = performance.now();
    const stuckMs = now - this.#lastEnd;
    if (this.#intervalMs <= SLOW_MS && stuckMs <= STUCK_MS) return;
    const paceMs = Math.min(Math.max(this.#intervalMs, stuckMs), SLOWEST_PACE_MS);
    if (this.#waiting.length <= held - share) return;
    this.#returns = this.#returns.filter((at) => at > now);
    for (const { resolve } of this.#waiting.splice(held - share)) {
      // At twice the pace of the carrier, so that one that gets quicker is found out.
      const wishedMs = ((this.#waiting.length + this.#returns.length + 1) * paceMs) / 2;
      const againInMs = Math.min(Math.max(wishedMs, AGAIN_MS.soonest), AGAIN_MS.latest);
      this.#returns.push(now + againInMs);
      resolve({ run: false, againInMs });
    }
  }

  #stopChecking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
