import { setImmediate as nextTurn } from 'node:timers/promises';

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

  /** Makes what has not been called yet, one in each turn of the event loop, until all are made or it is told to stop. */
  async makeAll(): Promise<void> {
    for (let make = this.#makers.shift(); make; make = this.#makers.shift()) {
      make();
      await nextTurn();
    }
  }

  /** Ends `makeAll`; what is called afterwards is still made. */
  stop(): void {
    this.#makers.length = 0;
  }
}
