import { describe, expect, it } from 'vitest';
import { findHours } from '../../../src/messages/quiet-hours/open-hours.js';
import { findUsRegion, US_REGIONS } from '../../../src/messages/quiet-hours/rules/area-codes.js';
import { RULE_PRESETS } from '../../../src/messages/quiet-hours/rules/presets.js';

const MS_PER_HOUR = 3_600_000;

/** A zone, the hours on an ordinary Wednesday, Saturday and Sunday as `from-to`; empty: quiet all day. */
const EXPECTED: Readonly<Record<string, readonly [zone: string, weekday: string, saturday: string, sunday: string]>> = {
  us: ['America/New_York', '8-21', '8-21', '8-21'],
  'us-ct': ['America/New_York', '9-20', '9-20', '9-20'],
  'us-fl': ['America/New_York', '8-20', '8-20', '8-20'],
  'us-ky': ['America/New_York', '10-21', '10-21', '10-21'],
  'us-la': ['America/Chicago', '8-20', '8-20', ''],
  'us-ma': ['America/New_York', '8-20', '8-20', '8-20'],
  'us-md': ['America/New_York', '8-20', '8-20', '8-20'],
  'us-mi': ['America/Detroit', '9-21', '9-21', '9-21'],
  'us-mn': ['America/Chicago', '9-21', '9-21', '9-21'],
  'us-ms': ['America/Chicago', '8-20', '8-20', ''],
  'us-nm': ['America/Denver', '9-21', '9-21', '9-21'],
  'us-nv': ['America/Los_Angeles', '9-20', '9-20', '9-20'],
  'us-ok': ['America/Chicago', '8-20', '8-20', '8-20'],
  'us-or': ['America/Los_Angeles', '8-20', '8-20', '8-20'],
  'us-pa': ['America/New_York', '9-19', '9-19', ''],
  'us-ri': ['America/New_York', '9-18', '10-17', ''],
  'us-sd': ['America/Chicago', '9-21', '9-21', ''],
  'us-tx': ['America/Chicago', '9-21', '9-21', '12-21'],
  'us-ut': ['America/Denver', '8-21', '8-21', ''],
  'us-wa': ['America/Los_Angeles', '8-20', '8-20', '8-20'],
  'us-wy': ['America/Denver', '8-20', '8-20', '8-20'],
  ca: ['America/New_York', '9-21.5', '10-18', '10-18'],
  co: ['America/Bogota', '7-19', '8-15', ''],
  es: ['Europe/Madrid', '9-21', '', ''],
  fr: ['Europe/Paris', '10-13 14-20', '', ''],
  in: ['Asia/Kolkata', '10-21', '10-21', '10-21'],
  kr: ['Asia/Seoul', '8-21', '8-21', '8-21'],
  za: ['Africa/Johannesburg', '8-20', '9-13', ''],
};

type ClockChange = readonly [sunday: string, offsetBefore: number, offsetAfter: number];

const inAmerica = (winter: number): ClockChange[] => [
  ['2026-11-01', winter + 1, winter],
  ['2027-03-14', winter, winter + 1],
];
/** In 2027 the Monday after the change is a holiday. */
const IN_EUROPE: ClockChange[] = [
  ['2026-10-25', 2, 1],
  ['2028-03-26', 1, 2],
];
const withoutChange = (offset: number): ClockChange[] => [['2026-10-25', offset, offset]];

/** Sundays on which clocks are changed before 4 a.m., with the UTC offsets in hours. */
const CLOCK_CHANGES: Readonly<Record<string, readonly ClockChange[]>> = {
  'America/New_York': inAmerica(-5),
  'America/Detroit': inAmerica(-5),
  'America/Chicago': inAmerica(-6),
  'America/Denver': inAmerica(-7),
  'America/Los_Angeles': inAmerica(-8),
  'Europe/Paris': IN_EUROPE,
  'Europe/Madrid': IN_EUROPE,
  'America/Bogota': withoutChange(-5),
  'Asia/Kolkata': withoutChange(5.5),
  'Asia/Seoul': withoutChange(9),
  'Africa/Johannesburg': withoutChange(2),
};

const parseWindows = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((window) => window.split('-').map(Number) as [number, number]);

const NIGHTS = RULE_PRESETS.flatMap((rule) => {
  const [zone, weekday, saturday, sunday] = EXPECTED[rule.id] ?? ['', '', '', ''];
  return (CLOCK_CHANGES[zone] ?? []).map((change) => ({
    ...{ id: rule.id, rule, zone, date: change[0], change },
    hours: [weekday, weekday, weekday, weekday, saturday, sunday, weekday].map(parseWindows),
  }));
});

it('each preset is listed in this test, and has a source, a citation and a date', () => {
  expect(RULE_PRESETS.map(({ id }) => id).sort()).toEqual(Object.keys(EXPECTED).sort());
  expect(new Set(NIGHTS.map(({ id }) => id)).size).toBe(RULE_PRESETS.length);
  for (const { source, citation, effectiveFrom, region } of RULE_PRESETS) {
    expect(source).toMatch(/^https?:\/\//);
    expect(citation).not.toBe('');
    expect(effectiveFrom).toMatch(/^\d{4}(-\d\d-\d\d)?$/);
    if (region !== null) expect(US_REGIONS).toContain(region);
  }
});

describe.each(NIGHTS)('$id in the week in which clocks are changed on $date', ({ rule, zone, change, hours }) => {
  const [sunday, offsetBefore, offsetAfter] = change;
  /** Day 0 is the Tuesday before the change, day 5 the Sunday, day 6 the Monday after it. */
  const toInstant = (day: number, hour: number, seconds = 0) => {
    const offset = day < 5 || (day === 5 && hour < 1) ? offsetBefore : offsetAfter;
    return Date.parse(`${sunday}T00:00:00Z`) + ((day - 5) * 24 + hour - offset) * MS_PER_HOUR + seconds * 1000;
  };
  const find = (instant: number) => findHours([rule], [zone], zone, instant);
  const windows = hours.flatMap((list, day) => list.map(([from, to]) => ({ day, from, to })));

  it('opens and closes to the second on each day', () => {
    for (const { day, from, to } of windows) {
      const edges = [toInstant(day, from, -1), toInstant(day, from), toInstant(day, from, 1)];
      expect(edges.map((edge) => find(edge).isOpen)).toEqual([false, true, true]);
      const ends = [toInstant(day, to, -1), toInstant(day, to), toInstant(day, to, 1)];
      expect(ends.map((end) => find(end).isOpen)).toEqual([true, false, false]);
      expect(find(toInstant(day, from))).toEqual({ isOpen: true, until: toInstant(day, to) });
    }
  });

  it('is quiet between the hours, and knows when they end', () => {
    for (const [index, { day, from }] of windows.entries()) {
      const last = windows[index - 1];
      if (!last) continue;
      const opening = { at: toInstant(day, from), rule, zone };
      for (let instant = toInstant(last.day, last.to); instant < opening.at; instant += MS_PER_HOUR / 2) {
        expect(find(instant)).toEqual({ isOpen: false, opening, rule, zone });
      }
    }
  });
});

it.each(RULE_PRESETS.map((rule) => [rule.id, rule] as const))('%s has its holidays all day', (id, rule) => {
  const [zone] = EXPECTED[id] ?? [''];
  const localDate = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  /** Christmas Day of 2026 is a Friday, and a holiday in each calendar. */
  const times = Array.from({ length: 4 * 72 }, (_, quarter) => Date.UTC(2026, 11, 24, 0, quarter * 15));
  const isOpen = times
    .filter((time) => localDate.format(time) === '2026-12-25')
    .some((time) => findHours([rule], [zone], zone, time).isOpen);
  expect(isOpen).toBe(rule.holidays === null);
});

it('finds the state of a number by its area code', () => {
  expect(
    ['13055551234', '12125551234', '14165551234', '18005551234', '33612345678', '1305555'].map(findUsRegion),
  ).toEqual(['FL', 'NY', null, null, null, null]);
});
