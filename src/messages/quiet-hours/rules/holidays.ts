import { type LocalTime, MS_PER_DAY } from '../local-time.js';

interface Day {
  month: number;
  day: number;
}

type Holiday =
  | (Day & {
      /** `us`: Saturday moves to Friday, Sunday to Monday. `next-monday`: Monday is a holiday too if it falls on a Sunday. */
      observed?: 'us' | 'next-monday';
    })
  /** The n-th weekday of a month; -1 is the last. 0 is Sunday. */
  | { month: number; weekday: number; nth: number }
  /** Days after Easter Sunday. */
  | { easter: number }
  | { find(year: number): Day | null };

const MONDAY = 1;
const THURSDAY = 4;

/** 5 U.S.C. § 6103. */
const US_FEDERAL: readonly Holiday[] = [
  { month: 1, day: 1, observed: 'us' },
  { month: 1, weekday: MONDAY, nth: 3 },
  { month: 2, weekday: MONDAY, nth: 3 },
  { month: 5, weekday: MONDAY, nth: -1 },
  { month: 6, day: 19, observed: 'us' },
  { month: 7, day: 4, observed: 'us' },
  { month: 9, weekday: MONDAY, nth: 1 },
  { month: 10, weekday: MONDAY, nth: 2 },
  { month: 11, day: 11, observed: 'us' },
  { month: 11, weekday: THURSDAY, nth: 4 },
  { month: 12, day: 25, observed: 'us' },
];

const CALENDARS = {
  us: US_FEDERAL,
  /** R.I. Gen. Laws § 25-1-1, and federal holidays. */
  'us-ri': [
    ...US_FEDERAL,
    { month: 5, day: 4 },
    { month: 8, weekday: MONDAY, nth: 2 },
    { find: (year) => (year % 2 === 0 ? findElectionDay(year) : null) },
  ],
  /** Utah Code § 63G-1-301. Juneteenth is observed on a Monday. */
  'us-ut': [...US_FEDERAL, { month: 7, day: 24, observed: 'us' }, { find: findUtahJuneteenth }],
  /** Code du travail, article L. 3133-1. */
  fr: [
    { month: 1, day: 1 },
    { easter: 1 },
    { month: 5, day: 1 },
    { month: 5, day: 8 },
    { easter: 39 },
    { easter: 50 },
    { month: 7, day: 14 },
    { month: 8, day: 15 },
    { month: 11, day: 1 },
    { month: 11, day: 11 },
    { month: 12, day: 25 },
  ],
  /** Public Holidays Act 36 of 1994, section 2 and Schedule 1. */
  za: [
    { month: 1, day: 1, observed: 'next-monday' },
    { month: 3, day: 21, observed: 'next-monday' },
    { easter: -2 },
    { easter: 1 },
    { month: 4, day: 27, observed: 'next-monday' },
    { month: 5, day: 1, observed: 'next-monday' },
    { month: 6, day: 16, observed: 'next-monday' },
    { month: 8, day: 9, observed: 'next-monday' },
    { month: 9, day: 24, observed: 'next-monday' },
    { month: 12, day: 16, observed: 'next-monday' },
    { month: 12, day: 25, observed: 'next-monday' },
    { month: 12, day: 26, observed: 'next-monday' },
  ],
} satisfies Readonly<Record<string, readonly Holiday[]>>;

export type CalendarId = keyof typeof CALENDARS;

export const CALENDAR_IDS = Object.keys(CALENDARS) as readonly CalendarId[];

/** Keys are `calendar year`, values are days as `month * 100 + day`. */
const daysByYear = new Map<string, ReadonlySet<number>>();

export function isHoliday(
  calendar: CalendarId,
  { year, month, day }: Pick<LocalTime, 'year' | 'month' | 'day'>,
): boolean {
  const key = `${calendar} ${year}`;
  let days = daysByYear.get(key);
  if (!days) {
    days = listDays(CALENDARS[calendar], year);
    daysByYear.set(key, days);
  }
  return days.has(month * 100 + day);
}

/** The holidays of the next year are included, because New Year's Day may be observed in December. */
function listDays(holidays: readonly Holiday[], year: number): ReadonlySet<number> {
  const times = [year, year + 1].flatMap((each) => holidays.flatMap((holiday) => findTimes(holiday, each)));
  return new Set(
    times
      .map((time) => new Date(time))
      .filter((date) => date.getUTCFullYear() === year)
      .map((date) => (date.getUTCMonth() + 1) * 100 + date.getUTCDate()),
  );
}

function findTimes(holiday: Holiday, year: number): number[] {
  if ('easter' in holiday) return [findEaster(year) + holiday.easter * MS_PER_DAY];
  if ('nth' in holiday) return [findNthWeekday(year, holiday.month, holiday.weekday, holiday.nth)];
  if ('find' in holiday) {
    const date = holiday.find(year);
    return date ? [Date.UTC(year, date.month - 1, date.day)] : [];
  }
  const time = Date.UTC(year, holiday.month - 1, holiday.day);
  const weekday = new Date(time).getUTCDay();
  if (holiday.observed && weekday === 0) return [time, time + MS_PER_DAY];
  if (holiday.observed === 'us' && weekday === 6) return [time, time - MS_PER_DAY];
  return [time];
}

function findNthWeekday(year: number, month: number, weekday: number, nth: number): number {
  if (nth < 0) {
    const last = Date.UTC(year, month, 0);
    return last - ((new Date(last).getUTCDay() - weekday + 7) % 7) * MS_PER_DAY;
  }
  const first = Date.UTC(year, month - 1, 1);
  return first + (((weekday - new Date(first).getUTCDay() + 7) % 7) + (nth - 1) * 7) * MS_PER_DAY;
}

/** The Tuesday after the first Monday of November. */
function findElectionDay(year: number): Day {
  return toDay(findNthWeekday(year, 11, MONDAY, 1) + MS_PER_DAY);
}

/** June 19 from Tuesday to Friday is observed on the Monday before, and on a weekend on the Monday after. */
function findUtahJuneteenth(year: number): Day {
  const time = Date.UTC(year, 5, 19);
  const weekday = new Date(time).getUTCDay();
  const shift = weekday === 0 ? 1 : weekday === 6 ? 2 : 1 - weekday;
  return toDay(time + shift * MS_PER_DAY);
}

function toDay(time: number): Day {
  const date = new Date(time);
  return { month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Gregorian Easter, by the algorithm of Meeus, Jones and Butcher. */
function findEaster(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1);
}
