const RATE = {
  /** Throttling does not lower the rate below this value. */
  floorPerSecond: 10,
  slowerFactor: 0.5,
  fasterFactor: 1.25,
  /** Minimum time between two increases of the rate, and between a throttling and the first increase after it. */
  raiseAfterMs: 1_000,
  /** If no rate is configured, sending becomes unlimited once the rate exceeds this value. */
  unlimitedFromPerSecond: 2_000,
} as const;
/** The pause after a throttling doubles each time, until a submit succeeds. */
const PAUSE = { firstMs: 250, longestMs: 10_000 } as const;
/** If a timer fires late, sends catch up by at most this time. */
const CATCH_UP_MS = 10;

export interface PacerOptions {
  window: number;
  /** 0 means no limit. */
  ratePerSecond: number;
}

/**
 * Throttling halves the rate and pauses the bind, each time for longer unless a submit has succeeded in between. While submits
 * succeed, the rate rises by a quarter per second. All times are by `performance.now()`.
 */
export class Pacer {
  readonly #window: number;
  readonly #limit: number;
  /** Infinity without a limit. */
  #rate: number;
  #nextSendAt = 0;
  #inFlight = 0;
  #pausedUntil = 0;
  #pauseMs = 0;
  #lastChange = 0;
  /** Throttled submits that were sent before this time do not lower the rate again. */
  #slowedDownAt = Number.NEGATIVE_INFINITY;
  /** Times of the last sends, used to measure the actual rate if no limit is set. */
  readonly #recentSends: number[] = [];

  constructor({ window, ratePerSecond }: PacerOptions) {
    this.#window = window;
    this.#limit = ratePerSecond || Number.POSITIVE_INFINITY;
    this.#rate = this.#limit;
  }

  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Infinity without a limit. */
  get ratePerSecond(): number {
    return this.#rate;
  }

  /** Returns Infinity while the window is full. */
  getNextSendAt(): number {
    return this.#inFlight >= this.#window ? Number.POSITIVE_INFINITY : Math.max(this.#nextSendAt, this.#pausedUntil);
  }

  recordSend(now: number): void {
    this.#inFlight += 1;
    this.#recentSends.push(now);
    if (this.#recentSends.length > this.#window) this.#recentSends.shift();
    if (this.#rate === Number.POSITIVE_INFINITY) return;
    this.#nextSendAt = Math.max(this.#nextSendAt, now - CATCH_UP_MS) + 1_000 / this.#rate;
  }

  recordEnd(): void {
    this.#inFlight -= 1;
  }

  recordSuccess(now: number): void {
    this.#pauseMs = 0;
    if (this.#rate === this.#limit || now < this.#lastChange + RATE.raiseAfterMs) return;
    this.#lastChange = now;
    this.#rate = Math.min(this.#limit, this.#rate * RATE.fasterFactor);
    if (this.#limit === Number.POSITIVE_INFINITY && this.#rate > RATE.unlimitedFromPerSecond) this.#rate = this.#limit;
  }

  /** `sentAt` is the send time of the throttled submit, so that a burst of throttled submits counts only once. */
  recordThrottling(sentAt: number, now: number): void {
    if (sentAt < this.#slowedDownAt) return;
    this.#slowedDownAt = now;
    this.#lastChange = now;
    const floor = Math.min(RATE.floorPerSecond, this.#limit);
    this.#rate = Math.max(floor, Math.min(this.#rate, this.#measureRate(now)) * RATE.slowerFactor);
    this.#pauseMs = Math.min(PAUSE.longestMs, Math.max(PAUSE.firstMs, this.#pauseMs * 2));
    this.#pausedUntil = now + this.#pauseMs;
  }

  #measureRate(now: number): number {
    const first = this.#recentSends[0];
    if (first === undefined) return this.#rate;
    return (this.#recentSends.length * 1_000) / Math.max(now - first, 10);
  }
}
