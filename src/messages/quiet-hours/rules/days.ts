import { MS_PER_DAY } from '../local-time.js';

export interface Day {
  month: number;
  day: number;
}

export const MONDAY = 1;
export const THURSDAY = 4;

/** @param nth -1 is the last of the month */
export function findNthWeekday(year: number, month: number, weekday: number, nth: number): number {
  if (nth < 0) {
    const last = Date.UTC(year, month, 0);
    return last - ((new Date(last).getUTCDay() - weekday + 7) % 7) * MS_PER_DAY;
  }
  const first = Date.UTC(year, month - 1, 1);
  return first + (((weekday - new Date(first).getUTCDay() + 7) % 7) + (nth - 1) * 7) * MS_PER_DAY;
}

/** Gregorian Easter, by the algorithm of Meeus, Jones and Butcher. */
export function findEaster(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1);
}

export function toDay(time: number): Day {
  const date = new Date(time);
  return { month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
