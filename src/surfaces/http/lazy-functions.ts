import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** How long idleness is measured before creating the next function, in milliseconds. */
const LOOK_MS = 10;
/** Above this event loop utilization, creation waits. */
const MAX_UTILIZATION = 0.5;

/**
 * Functions that are expensive to create, such as compiled schemas. Each is created on its first call or by `makeAll`, so that a
 * process can serve requests before all are created.
 */
export class LazyFunctions {
  readonly #makers: (() => unknown)[] = [];

  /** Registers a function that `make` creates on the first call. Errors of `make` are thrown by that call. */
  add<A extends unknown[], R>(make: () => (...args: A) => R): (...args: A) => R {
    let created: ((...args: A) => R) | undefined;
    const get = () => {
      created ??= make();
      return created;
    };
    this.#makers.push(get);
    return (...args) => (created ?? get())(...args);
  }

  /**
   * Creates the remaining functions one at a time while the event loop is mostly idle, until all exist or `stop` is called. Under
   * load it waits: each creation blocks the event loop, which accepts one connection per turn.
   * @param between awaited after each creation
   */
  async makeAll(between: () => Promise<unknown> = idleMoment): Promise<void> {
    for (let make = this.#makers.shift(); make; make = this.#makers.shift()) {
      make();
      await between();
    }
  }

  /** Ends `makeAll`. Functions are still created when called. */
  stop(): void {
    this.#makers.length = 0;
  }
}

async function idleMoment(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization();
    await pause(LOOK_MS, undefined, { ref: false });
    if (performance.eventLoopUtilization(before).utilization < MAX_UTILIZATION) return;
  }
}
