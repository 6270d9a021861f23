import type { Clock } from './clock.js';

/**
 * This machine's time. Nothing else in src/ reads it: code that builds an application or a command passes a clock or a
 * time to the parts that need one.
 */
export const systemClock: Clock = { now: () => new Date() };
