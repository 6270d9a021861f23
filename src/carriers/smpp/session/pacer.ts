/** How the rate follows what the SMSC says. */
const RATE = {
  /** An SMSC is not slowed down to less, unless it was set to less. */
  floorPerSecond: 10,
  slower: 0.5,
  faster: 1.25,
  /** How long all must go well before the rate rises, and how long a rate without a limit is held after it rose back. */
  raiseAfterMs: 1_000,
  /** Without a limit of its own a bind that is this fast again is no longer held back. */
  unlimitedFromPerSecond: 2_000,
} as const;
/** The pause of a bind that was throttled; each time that nothing succeeded in between doubles it. */
const PAUSE = { firstMs: 250, longestMs: 10_000 } as const;
/** A late timer is caught up with by at most this much of the rate, so that no second sees noticeably more. */
const CATCH_UP_MS = 10;

export interface PacerOptions {
  window: number;
  /** 0: no limit. */
  ratePerSecond: number;
}

/**
 * When the next submit of one bind may go: inside its window and its rate, and slower while the SMSC asks for it. Being
 * throttled halves the rate and pauses the bind, longer each time that nothing succeeded in between; success raises the
 * rate again by a quarter per second. All times are those of `performance.now()`.
 */
export class Pacer {
  readonly #window: number;
  readonly #limit: number;
  /** Per second; infinite without a limit. */
  #rate: number;
  #next = 0;
  #inFlight = 0;
  #pausedUntil = 0;
  #pauseMs = 0;
  #lastChange = 0;
  /** When those submits went out by whose responses it was slowed down already. */
  #slowedAt = Number.NEGATIVE_INFINITY;
  /** Moments of the last submits, by which a rate without a limit is measured. */
  readonly #recent: number[] = [];

  constructor({ window, ratePerSecond }: PacerOptions) {
    this.#window = window;
    this.#limit = ratePerSecond || Number.POSITIVE_INFINITY;
    this.#rate = this.#limit;
  }

  /** Until when the SMSC is left alone; in the past when it is not. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** Submits that wait for their response. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** At which it goes now; infinite while nothing limits it. */
  get ratePerSecond(): number {
    return this.#rate;
  }

  /** The moment at which the next submit may go; infinite while the window is full. */
  nextAt(): number {
    return this.#inFlight >= this.#window ? Number.POSITIVE_INFINITY : Math.max(this.#next, this.#pausedUntil);
  }

  sent(now: number): void {
    this.#inFlight += 1;
    this.#recent.push(now);
    if (this.#recent.length > this.#window) this.#recent.shift();
    if (this.#rate === Number.POSITIVE_INFINITY) return;
    this.#next = Math.max(this.#next, now - CATCH_UP_MS) + 1_000 / this.#rate;
  }

  /** The response to a submit came, or never will. */
  ended(): void {
    this.#inFlight -= 1;
  }

  succeeded(now: number): void {
    this.#pauseMs = 0;
    if (this.#rate === this.#limit || now < this.#lastChange + RATE.raiseAfterMs) return;
    this.#lastChange = now;
    this.#rate = Math.min(this.#limit, this.#rate * RATE.faster);
    if (this.#limit === Number.POSITIVE_INFINITY && this.#rate > RATE.unlimitedFromPerSecond) this.#rate = this.#limit;
  }

  /** @param sentAt when the submit went out that was throttled: those of one burst count once */
  throttled(sentAt: number, now: number): void {
    if (sentAt < this.#slowedAt) return;
    this.#slowedAt = now;
    this.#lastChange = now;
    const floor = Math.min(RATE.floorPerSecond, this.#limit);
    this.#rate = Math.max(floor, Math.min(this.#rate, this.#measured(now)) * RATE.slower);
    this.#pauseMs = Math.min(PAUSE.longestMs, Math.max(PAUSE.firstMs, this.#pauseMs * 2));
    this.#pausedUntil = now + this.#pauseMs;
  }

  #measured(now: number): number {
    const first = this.#recent[0];
    if (first === undefined) return this.#rate;
    return (this.#recent.length * 1_000) / Math.max(now - first, 10);
  }
}
