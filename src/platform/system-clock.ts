import type { Clock } from './clock.js';

/**
 * The time of this machine. Nothing else in src/ asks for it: whoever builds an application or a command hands a clock, or
 * the moment, to what needs one.
 */
export const systemClock: Clock = { now: () => new Date() };
