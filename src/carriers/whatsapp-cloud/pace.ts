import { setMaxListeners } from 'node:events';

/** Sends that may follow each other at once after an idle time, in milliseconds' worth of the rate. */
const BURST_MS = 100;

/** Spreads what one number sends evenly over time, in the order of asking. */
export class Pace {
  readonly #intervalMs: number;
  #next = 0;

  /** @param perSecond sends in a second */
  constructor(perSecond: number) {
    this.#intervalMs = 1000 / perSecond;
  }

  /** Resolves to true when it is the caller's turn; to false once the signal fires, if that is earlier. */
  turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    const now = performance.now();
    const slot = Math.max(this.#next, now - BURST_MS);
    this.#next = slot + this.#intervalMs;
    if (slot <= now) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (turn: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        resolve(turn);
      };
      const stop = () => settle(false);
      const timer = setTimeout(() => settle(true), slot - now);
      // All messages of a batch wait on the same signal.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}
