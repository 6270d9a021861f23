import type { Clock } from './clock.js';

/** Nothing else in src/ reads this machine's time. Other code is given a clock or a time. */
export const systemClock: Clock = { now: () => new Date() };
