import {
  findClockChange,
  findOffset,
  formatDate,
  type LocalTime,
  MS_PER_DAY,
  MS_PER_MINUTE,
  toLocalTime,
} from './local-time.js';
import type { QuietRule } from './rule.js';
import { isHoliday } from './rules/holidays.js';

/** Longer than any series of weekends and holidays. */
const HORIZON_MS = 21 * MS_PER_DAY;

export interface Opening {
  at: number;
  /** Rule and zone that open last. */
  rule: QuietRule;
  zone: string;
}

/**
 * `until` is when quiet hours begin, or null if they do not begin within three weeks. While the hours are quiet, `opening` is
 * the next moment that is not, or null if there is none.
 */
export type Hours =
  | { isOpen: true; until: number | null }
  | { isOpen: false; opening: Opening | null; rule: QuietRule; zone: string };

/**
 * Decides whether a message may be sent at a moment. All rules must allow the moment in all zones. If the zones have no moment
 * in common, because they lie too far apart, only `mainZone` counts.
 * @param zones IANA time zones of the recipient's number
 * @param instant milliseconds since 1970
 */
export function findHours(
  rules: readonly QuietRule[],
  zones: readonly string[],
  mainZone: string,
  instant: number,
): Hours {
  const hours = findHoursIn(rules, zones, instant);
  if (hours.isOpen || hours.opening || (zones.length === 1 && zones[0] === mainZone)) return hours;
  return findHoursIn(rules, [mainZone], instant);
}

function findHoursIn(rules: readonly QuietRule[], zones: readonly string[], instant: number): Hours {
  for (const zone of zones) {
    for (const rule of rules) {
      if (!isOpenIn(rule, zone, instant))
        return { isOpen: false, opening: findOpening(rules, zones, instant), rule, zone };
    }
  }
  return { isOpen: true, until: findClosing(rules, zones, instant) };
}

function isOpenIn(rule: QuietRule, zone: string, instant: number): boolean {
  return isOpenAt(rule, toLocalTime(instant + findOffset(zone, instant)));
}

function isOpenAt(rule: QuietRule, local: LocalTime): boolean {
  const minute = local.msOfDay / MS_PER_MINUTE;
  return listWindows(rule, local).some(({ from, to }) => minute >= from && minute < to);
}

function listWindows(rule: QuietRule, local: LocalTime): readonly { from: number; to: number }[] {
  if (rule.holidays && isHoliday(rule.holidays, local)) return [];
  if (rule.closedDates.length > 0 && rule.closedDates.includes(formatDate(local))) return [];
  return rule.windows.filter(({ days }) => (days as readonly number[]).includes(local.weekday));
}

/** Each rule in each zone moves the moment on to its own next opening, until no rule moves it. */
function findOpening(rules: readonly QuietRule[], zones: readonly string[], from: number): Opening | null {
  let opening: Opening | null = null;
  let instant = from;
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const zone of zones) {
      for (const rule of rules) {
        const next = findChange(rule, zone, instant, true);
        if (next === null || next > from + HORIZON_MS) return null;
        if (next === instant) continue;
        instant = next;
        opening = { at: instant, rule, zone };
        isMoving = true;
      }
    }
  }
  return opening;
}

function findClosing(rules: readonly QuietRule[], zones: readonly string[], instant: number): number | null {
  const closings = zones.flatMap((zone) => rules.map((rule) => findChange(rule, zone, instant, false)));
  const times = closings.filter((time) => time !== null);
  return times.length > 0 ? Math.min(...times) : null;
}

/**
 * Finds the first moment, not before `from`, at which a rule is open (or closed) in a zone. Hours are those that clocks show:
 * a time that clocks skip in spring begins when they are changed, and one that they show twice in autumn happens twice.
 */
function findChange(rule: QuietRule, zone: string, from: number, wantsOpen: boolean): number | null {
  let instant = from;
  while (instant <= from + HORIZON_MS) {
    const offset = findOffset(zone, instant);
    const wall = instant + offset;
    const local = toLocalTime(wall);
    if (isOpenAt(rule, local) === wantsOpen) return instant;
    const midnight = wall - local.msOfDay;
    const edges = listWindows(rule, local).map(
      (window) => midnight + window[wantsOpen ? 'from' : 'to'] * MS_PER_MINUTE,
    );
    const next = Math.min(...edges.filter((edge) => edge > wall), midnight + MS_PER_DAY) - offset;
    instant = findOffset(zone, next) === offset ? next : findClockChange(zone, offset, instant, next);
  }
  return null;
}
