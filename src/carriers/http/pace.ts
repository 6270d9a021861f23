import { isOver } from '../../platform/deadline.js';
import { onAbort } from '../../platform/on-abort.js';

/** Sends that may follow each other at once after an idle time, in milliseconds' worth of the rate. */
const BURST_MS = 100;

/** A caller who waits for its turn; told true when it comes. */
type Waiting = (turn: boolean) => void;

/**
 * Spreads what one number sends evenly over time, in the order of asking, and lets no more go within any second than
 * the rate, rounded up: neither at the start nor when timers come late.
 */
export class Pace {
  readonly #intervalMs: number;
  /** Times of the last turns, in a ring: the oldest must lie a window back before the next. */
  readonly #turns: Float64Array;
  /** A second, or longer where the rate is no whole number. */
  readonly #windowMs: number;
  /** In the order of asking, each with its signal. */
  readonly #waiting = new Map<Waiting, AbortSignal>();
  #count = 0;
  #next = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param perSecond sends in a second */
  constructor(perSecond: number) {
    this.#intervalMs = 1000 / perSecond;
    this.#turns = new Float64Array(Math.ceil(perSecond)).fill(Number.NEGATIVE_INFINITY);
    this.#windowMs = this.#turns.length * this.#intervalMs;
  }

  /** Resolves to true when it is the caller's turn; to false once the signal fires, or is over, if that is earlier. */
  turn(signal: AbortSignal): Promise<boolean> {
    if (isOver(signal)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle: Waiting = (turn) => {
        this.#waiting.delete(settle);
        unlisten();
        resolve(turn);
      };
      const stop = () => {
        settle(false);
        if (this.#waiting.size === 0) this.#stopTimer();
      };
      const unlisten = onAbort(signal, stop);
      this.#waiting.set(settle, signal);
      if (this.#timer === null) this.#release();
    });
  }

  /** Gives turns to those whose time has come, and sets the timer for the next. */
  #release(): void {
    this.#stopTimer();
    const now = performance.now();
    for (const [settle, signal] of this.#waiting) {
      if (isOver(signal, now)) {
        settle(false);
        continue;
      }
      const oldest = this.#turns[this.#count % this.#turns.length] as number;
      const slot = Math.max(this.#next, now - BURST_MS);
      const delay = Math.max(slot, oldest + this.#windowMs) - now;
      if (delay > 0) {
        this.#timer = setTimeout(() => this.#release(), Math.ceil(delay));
        return;
      }
      this.#next = slot + this.#intervalMs;
      this.#turns[this.#count % this.#turns.length] = now;
      this.#count += 1;
      settle(true);
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
