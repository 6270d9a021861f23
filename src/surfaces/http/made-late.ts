import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds of which most must have been idle before another function is made. */
const LOOK_MS = 10;
/** The busy part of the event loop's time above which making waits. */
const BUSY = 0.5;

/**
 * Functions that cost time to make, such as those that schemas are compiled into: each is made when it is first called,
 * or by `makeAll`, so that a process answers before it has made hundreds of them.
 */
export class MadeLate {
  readonly #makers: (() => unknown)[] = [];

  /** A function that `make` makes at its first call; what `make` throws, the call throws. */
  add<A extends unknown[], R>(make: () => (...args: A) => R): (...args: A) => R {
    let made: ((...args: A) => R) | undefined;
    const get = () => {
      made ??= make();
      return made;
    };
    this.#makers.push(get);
    return (...args) => (made ?? get())(...args);
  }

  /**
   * Makes what has not been called yet, one at a time while the event loop has little to do, until all are made or it is
   * told to stop. Under load it waits: a turn of the loop accepts one connection, so that hundreds of longer turns would
   * keep new callers waiting for seconds.
   * @param between is awaited after each
   */
  async makeAll(between: () => Promise<unknown> = idleMoment): Promise<void> {
    for (let make = this.#makers.shift(); make; make = this.#makers.shift()) {
      make();
      await between();
    }
  }

  /** Ends `makeAll`; what is called afterwards is still made. */
  stop(): void {
    this.#makers.length = 0;
  }
}

async function idleMoment(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization();
    await pause(LOOK_MS, undefined, { ref: false });
    if (performance.eventLoopUtilization(before).utilization < BUSY) return;
  }
}
