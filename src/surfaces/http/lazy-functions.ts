import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** How long idleness is measured before creating the next function. */
const LOOK_MS = 10;
/** Above this event loop utilization, creation waits. */
const MAX_UTILIZATION = 0.5;

/** A process can serve requests before all expensive functions, such as compiled schemas, are created. */
export class LazyFunctions {
  readonly #makers: (() => unknown)[] = [];

  /** Errors of `make` are thrown by the first call. */
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
   * Waits while the process is under load: each creation blocks the event loop, which accepts one connection per turn.
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
