import type { Clock } from '../../src/platform/clock.js';

/** Clock that moves only when a test moves it. */
export class ManualClock implements Clock {
  #milliseconds: number;

  constructor(start: Date | string = '2027-01-15T12:00:00.000Z') {
    this.#milliseconds = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.#milliseconds);
  }

  advance(milliseconds: number): void {
    this.#milliseconds += milliseconds;
  }

  set(time: Date | string): void {
    this.#milliseconds = new Date(time).getTime();
  }
}

/** Clock that adds an offset to the real time, for suites that need a running clock. */
export class ShiftedClock implements Clock {
  #offset = 0;

  now(): Date {
    return new Date(Date.now() + this.#offset);
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }
}
