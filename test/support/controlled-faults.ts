import { onTestFinished } from 'vitest';
import type { FaultPoints } from '../../src/platform/faults.js';
import { withResolvers } from '../../src/platform/with-resolvers.js';

/** A fault point at which everything waits. */
export interface Hold {
  /** Resolves once something waits there. */
  reached: Promise<void>;
  /** Lets everything that waits go on, and nothing wait any more. */
  release(): void;
}

/** Fault points that a test sets: it can hold them, make them fail, or count how often they were passed. */
export class ControlledFaults implements FaultPoints {
  readonly #handlers = new Map<string, () => void | Promise<void>>();
  readonly #hits = new Map<string, number>();

  hit(name: string): Promise<void> | void {
    this.#hits.set(name, this.count(name) + 1);
    return this.#handlers.get(name)?.();
  }

  /** How often a point was passed. */
  count(name: string): number {
    return this.#hits.get(name) ?? 0;
  }

  /** Runs a handler at each passing until `clear`. */
  on(name: string, handler: () => void | Promise<void>): void {
    this.#handlers.set(name, handler);
  }

  clear(name: string): void {
    this.#handlers.delete(name);
  }

  /** Fails the next `times` passings. */
  fail(name: string, error: Error, times = 1): void {
    let left = times;
    this.on(name, () => {
      left -= 1;
      if (left === 0) this.clear(name);
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

  /** As `hold`, and releases it when the test is over. */
  holdForTest(name: string): Hold {
    const hold = this.hold(name);
    onTestFinished(() => hold.release());
    return hold;
  }
}
