import type { Clock } from './clock.js';

/** Nothing else in src/ reads this machine's time. */
export const systemClock: Clock = { now: () => new Date() };
