import { onAbort } from '../../platform/on-abort.js';

/** Lets so many do something at once, in the order of asking. */
export class Slots {
  readonly size: number;
  readonly #waiting = new Set<(turn: boolean) => void>();
  #inUse = 0;

  constructor(size: number) {
    this.size = size;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Resolves to true when there is a place, which is given back by `leave`; to false once the signal fires, if that is earlier. */
  enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#inUse < this.size) {
      this.#inUse += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const settle = (turn: boolean) => {
        this.#waiting.delete(settle);
        unlisten();
        resolve(turn);
      };
      const stop = () => settle(false);
      const unlisten = onAbort(signal, stop);
      this.#waiting.add(settle);
    });
  }

  /** Gives a place back, to the one who waits longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next) next(true);
    else this.#inUse -= 1;
  }
}
