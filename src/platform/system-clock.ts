import type { Clock } from './clock.js';

/** In src/, only `systemClock` reads the time of the machine. */
export const systemClock: Clock = { now: () => new Date() };
