import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** How long idleness is measured before creating the next function. */
const MEASURE_MS = 10;
/** Above this event loop utilization, creation waits. */
const MAX_UTILIZATION = 0.5;

/**
 * Creates expensive functions, such as compiled schemas, on first use or in idle moments, so that a process can serve requests
 * sooner.
 */
export class LazyFunctions {
  readonly #creators: (() => unknown)[] = [];

  /** Errors of `make` are thrown by the first call. */
  add<A extends unknown[], R>(create: () => (...args: A) => R): (...args: A) => R {
    let created: ((...args: A) => R) | undefined;
    const get = () => {
      created ??= create();
      return created;
    };
    this.#creators.push(get);
    return (...args) => (created ?? get())(...args);
  }

  /**
   * Waits while the process is under load: each creation blocks the event loop, which accepts one connection per turn.
   * @param waitBetween awaited after each creation
   */
  async createAll(waitBetween: () => Promise<unknown> = waitUntilIdle): Promise<void> {
    for (let create = this.#creators.shift(); create; create = this.#creators.shift()) {
      create();
      await waitBetween();
    }
  }

  /** Ends `makeAll`. Functions are still created when called. */
  stop(): void {
    this.#creators.length = 0;
  }
}

async function waitUntilIdle(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization();
    await pause(MEASURE_MS, undefined, { ref: false });
    if (performance.eventLoopUtilization(before).utilization < MAX_UTILIZATION) return;
  }
}
