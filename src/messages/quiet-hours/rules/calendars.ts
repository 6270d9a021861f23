import { MS_PER_DAY } from '../local-time.js';
import { type Day, findNthWeekday, MONDAY, THURSDAY, toDay } from './days.js';

/**
 * What happens to a holiday on a weekend. `us`: on Saturday also the Friday before, on Sunday also the Monday after.
 * `next-monday`: on Sunday also the Monday after. `monday`: whatever the weekday, only the Monday on or after it is a holiday.
 */
export type Observance = 'us' | 'next-monday' | 'monday';

export type Holiday =
  | (Day & { observed?: Observance })
  /** The n-th weekday of a month; -1 is the last. 0 is Sunday. */
  | { month: number; weekday: number; nth: number }
  /** Days after Easter Sunday. */
  | { easter: number }
  | { find(year: number): Day | null };

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

export const CALENDARS = {
  /** Ley 51 de 1983, and Ley 2578 de 2026 for July 9. */
  co: [
    { month: 1, day: 1 },
    { month: 1, day: 6, observed: 'monday' },
    { month: 3, day: 19, observed: 'monday' },
    { easter: -3 },
    { easter: -2 },
    { month: 5, day: 1 },
    { easter: 43 },
    { easter: 64 },
    { easter: 71 },
    { month: 6, day: 29, observed: 'monday' },
    { month: 7, day: 9, observed: 'monday' },
    { month: 7, day: 20 },
    { month: 8, day: 7 },
    { month: 8, day: 15, observed: 'monday' },
    { month: 10, day: 12, observed: 'monday' },
    { month: 11, day: 1, observed: 'monday' },
    { month: 11, day: 11, observed: 'monday' },
    { month: 12, day: 8 },
    { month: 12, day: 25 },
  ],
  /** Real Decreto 2001/1983, art. 45. */
  es: [
    { month: 1, day: 1 },
    { month: 1, day: 6 },
    { easter: -3 },
    { easter: -2 },
    { month: 5, day: 1 },
    { month: 8, day: 15 },
    { month: 10, day: 12 },
    { month: 11, day: 1 },
    { month: 12, day: 6 },
    { month: 12, day: 8 },
    { month: 12, day: 25 },
  ],
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
  us: US_FEDERAL,
  /** La. R.S. 1:55, and federal holidays. */
  'us-la': [
    ...US_FEDERAL,
    { month: 1, day: 8 },
    { easter: -47 },
    { easter: -2 },
    { month: 8, day: 30 },
    { month: 11, day: 1 },
    { find: findGeneralElection },
  ],
  /** 44 P.S. § 11, and federal holidays. */
  'us-pa': [...US_FEDERAL, { easter: -2 }, { month: 6, day: 14 }, { find: findElectionDay }],
  /** R.I. Gen. Laws § 25-1-1, and federal holidays. */
  'us-ri': [...US_FEDERAL, { month: 5, day: 4 }, { month: 8, weekday: MONDAY, nth: 2 }, { find: findGeneralElection }],
  /** Utah Code § 63G-1-301. Juneteenth is observed on a Monday. */
  'us-ut': [...US_FEDERAL, { month: 7, day: 24, observed: 'us' }, { find: findUtahJuneteenth }],
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

/** The Tuesday after the first Monday of November. */
function findElectionDay(year: number): Day {
  return toDay(findNthWeekday(year, 11, MONDAY, 1) + MS_PER_DAY);
}

function findGeneralElection(year: number): Day | null {
  return year % 2 === 0 ? findElectionDay(year) : null;
}

/** June 19 from Tuesday to Friday is observed on the Monday before, and on a weekend on the Monday after. */
function findUtahJuneteenth(year: number): Day {
  const time = Date.UTC(year, 5, 19);
  const weekday = new Date(time).getUTCDay();
  const shift = weekday === 0 ? 1 : weekday === 6 ? 2 : 1 - weekday;
  return toDay(time + shift * MS_PER_DAY);
}
