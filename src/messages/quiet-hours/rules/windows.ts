import type { Weekday, Window } from '../rule.js';

export const EVERY_DAY: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6];
export const MONDAY_TO_FRIDAY: readonly Weekday[] = [1, 2, 3, 4, 5];
export const MONDAY_TO_SATURDAY: readonly Weekday[] = [1, 2, 3, 4, 5, 6];
export const SATURDAY: readonly Weekday[] = [6];
export const SUNDAY: readonly Weekday[] = [0];
export const WEEKEND: readonly Weekday[] = [6, 0];

/** @param fromHour hours since midnight; 9.5 is half past nine */
export const on = (days: readonly Weekday[], fromHour: number, toHour: number): Window => ({
  days,
  from: fromHour * 60,
  to: toHour * 60,
});

export const WRITTEN_FOR_CALLS =
  'The law was written for phone calls. Applying it to messages is the cautious reading.';
