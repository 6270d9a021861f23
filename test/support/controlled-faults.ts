import { onTestFinished } from 'vitest';
import type { FaultPoints } from '../../src/platform/faults.js';
import { withResolvers } from '../../src/platform/with-resolvers.js';

export interface Hold {
  /** Resolves once a caller waits at the fault point. */
  reached: Promise<void>;
  /** Releases the waiting callers and lets later callers pass. */
  release(): void;
}

export class ControlledFaults implements FaultPoints {
  readonly #handlers = new Map<string, () => void | Promise<void>>();
  readonly #hits = new Map<string, number>();

  hit(name: string): Promise<void> | void {
    this.#hits.set(name, this.count(name) + 1);
    return this.#handlers.get(name)?.();
  }

  count(name: string): number {
    return this.#hits.get(name) ?? 0;
  }

  /** Runs a handler at each hit of a fault point, until `clear` is called. */
  on(name: string, handler: () => void | Promise<void>): void {
    this.#handlers.set(name, handler);
  }

  clear(name: string): void {
    this.#handlers.delete(name);
  }

  fail(name: string, error: Error, times = 1): void {
    let remaining = times;
    this.on(name, () => {
      remaining -= 1;
      if (remaining === 0) this.clear(name);
      throw error;
    });
  }

  hold(name: string): Hold {
    const { promise: reached, resolve: arrive } = withResolvers();
    const { promise: open, resolve: release } = withResolvers();
    this.on(name, () => {
      arrive();
      return open;
    });
    return {
      reached,
      release: () => {
        this.clear(name);
        release();
      },
    };
  }

  /** Holds a fault point as `hold` does, but only until the test ends. */
  holdForTest(name: string): Hold {
    const hold = this.hold(name);
    onTestFinished(() => hold.release());
    return hold;
  }
}
