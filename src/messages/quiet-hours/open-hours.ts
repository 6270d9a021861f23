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
 * @param at milliseconds since 1970
 */
export function findHours(rules: readonly QuietRule[], zones: readonly string[], mainZone: string, at: number): Hours {
  const hours = findHoursIn(rules, zones, at);
  if (hours.isOpen || hours.opening || (zones.length === 1 && zones[0] === mainZone)) return hours;
  return findHoursIn(rules, [mainZone], at);
}

function findHoursIn(rules: readonly QuietRule[], zones: readonly string[], at: number): Hours {
  for (const zone of zones) {
    for (const rule of rules) {
      if (!isOpenIn(rule, zone, at)) return { isOpen: false, opening: findOpening(rules, zones, at), rule, zone };
    }
  }
  return { isOpen: true, until: findClosing(rules, zones, at) };
}

function isOpenIn(rule: QuietRule, zone: string, at: number): boolean {
  return isOpenAt(rule, toLocalTime(at + findOffset(zone, at)));
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
  let at = from;
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const zone of zones) {
      for (const rule of rules) {
        const next = findChange(rule, zone, at, true);
        if (next === null || next > from + HORIZON_MS) return null;
        if (next === at) continue;
        at = next;
        opening = { at, rule, zone };
        isMoving = true;
      }
    }
  }
  return opening;
}

function findClosing(rules: readonly QuietRule[], zones: readonly string[], at: number): number | null {
  const closings = zones.flatMap((zone) => rules.map((rule) => findChange(rule, zone, at, false)));
  const times = closings.filter((time) => time !== null);
  return times.length > 0 ? Math.min(...times) : null;
}

/**
 * Finds the first moment, not before `from`, at which a rule is open (or closed) in a zone. Hours are those that clocks show:
 * a time that clocks skip in spring begins when they are changed, and one that they show twice in autumn happens twice.
 */
function findChange(rule: QuietRule, zone: string, from: number, wantsOpen: boolean): number | null {
  let at = from;
  while (at <= from + HORIZON_MS) {
    const offset = findOffset(zone, at);
    const wall = at + offset;
    const local = toLocalTime(wall);
    if (isOpenAt(rule, local) === wantsOpen) return at;
    const midnight = wall - local.msOfDay;
    const edges = listWindows(rule, local).map(
      (window) => midnight + window[wantsOpen ? 'from' : 'to'] * MS_PER_MINUTE,
    );
    const next = Math.min(...edges.filter((edge) => edge > wall), midnight + MS_PER_DAY) - offset;
    at = findOffset(zone, next) === offset ? next : findClockChange(zone, offset, at, next);
  }
  return null;
}
