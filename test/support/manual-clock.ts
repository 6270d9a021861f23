import type { Clock } from '../../src/platform/clock.js';

/** Business time that moves only when a test moves it. */
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

/** Real time plus an offset, for suites in which time must also pass. */
export class ShiftedClock implements Clock {
  #offset = 0;

  now(): Date {
    return new Date(Date.now() + this.#offset);
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }
}
