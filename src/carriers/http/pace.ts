import { isPastDeadline } from '../../platform/deadline.js';
import { onAbort } from '../../platform/on-abort.js';

/** Maximum idle time, in milliseconds, that later sends may make up for. */
const BURST_MS = 100;

type Settle = (maySend: boolean) => void;

/**
 * Spreads sends evenly over time, in the order in which they were requested. No one-second window contains more sends than the
 * rate (rounded up), even at the start or when timers fire late.
 */
export class Pace {
  readonly #intervalMs: number;
  /** Ring buffer with the times of the last sends. */
  readonly #sendTimes: Float64Array;
  /** Length of the window: one second, or longer if the rate is not a whole number. */
  readonly #windowMs: number;
  readonly #waiting = new Map<Settle, AbortSignal>();
  #count = 0;
  #next = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param perSecond may be fractional */
  constructor(perSecond: number) {
    this.#intervalMs = 1000 / perSecond;
    this.#sendTimes = new Float64Array(Math.ceil(perSecond)).fill(Number.NEGATIVE_INFINITY);
    this.#windowMs = this.#sendTimes.length * this.#intervalMs;
  }

  /** Resolves to false if the signal fires or its deadline passes before the caller may send. */
  waitForTurn(signal: AbortSignal): Promise<boolean> {
    if (isPastDeadline(signal)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle: Settle = (maySend) => {
        this.#waiting.delete(settle);
        removeListener();
        resolve(maySend);
      };
      const stop = () => {
        settle(false);
        if (this.#waiting.size === 0) this.#stopTimer();
      };
      const removeListener = onAbort(signal, stop);
      this.#waiting.set(settle, signal);
      if (this.#timer === null) this.#release();
    });
  }

  #release(): void {
    this.#stopTimer();
    const now = performance.now();
    for (const [settle, signal] of this.#waiting) {
      if (isPastDeadline(signal, now)) {
        settle(false);
        continue;
      }
      const oldest = this.#sendTimes[this.#count % this.#sendTimes.length] as number;
      const slot = Math.max(this.#next, now - BURST_MS);
      const delayMs = Math.max(slot, oldest + this.#windowMs) - now;
      if (delayMs > 0) {
        this.#timer = setTimeout(() => this.#release(), Math.ceil(delayMs));
        return;
      }
      this.#next = slot + this.#intervalMs;
      this.#sendTimes[this.#count % this.#sendTimes.length] = now;
      this.#count += 1;
      settle(true);
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
