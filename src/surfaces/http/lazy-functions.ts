import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** How long event loop utilization is measured before the next function is created. */
const MEASURE_MS = 10;
/** No further function is created while event loop utilization is higher than this. */
const MAX_UTILIZATION = 0.5;

/**
 * Creates expensive functions, such as compiled schemas, on first use or in idle moments, so that a process can serve requests
 * sooner.
 */
export class LazyFunctions {
  readonly #creators: (() => unknown)[] = [];

  /** Registers a function; errors of `create` are thrown by its first call. */
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
   * Creates the functions one by one and pauses while the process is under load, because each creation blocks the event loop.
   * @param waitBetween awaited after each creation
   */
  async createAll(waitBetween: () => Promise<unknown> = waitUntilIdle): Promise<void> {
    for (let create = this.#creators.shift(); create; create = this.#creators.shift()) {
      create();
      await waitBetween();
    }
  }

  /** Stops `createAll`, so that further functions are created only when called. */
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
