import { describe, expect, it } from 'vitest';
import { findHours } from '../../../src/messages/quiet-hours/open-hours.js';
import { findUsRegion, US_REGIONS } from '../../../src/messages/quiet-hours/rules/area-codes.js';
import { RULE_PRESETS } from '../../../src/messages/quiet-hours/rules/presets.js';

const ZONES: Readonly<Record<string, string>> = {
  us: 'America/New_York',
  'us-ct': 'America/New_York',
  'us-fl': 'America/New_York',
  'us-ma': 'America/New_York',
  'us-md': 'America/New_York',
  'us-mn': 'America/Chicago',
  'us-ms': 'America/Chicago',
  'us-ok': 'America/Chicago',
  'us-or': 'America/Los_Angeles',
  'us-ri': 'America/New_York',
  'us-tx': 'America/Chicago',
  'us-ut': 'America/Denver',
  'us-wa': 'America/Los_Angeles',
  fr: 'Europe/Paris',
  in: 'Asia/Kolkata',
  kr: 'Asia/Seoul',
  za: 'Africa/Johannesburg',
};

/** Hours on an ordinary Wednesday, Saturday and Sunday of October 2026, as `from-to`; empty: quiet all day. */
const HOURS: Readonly<Record<string, readonly [string, string, string]>> = {
  us: ['8-21', '8-21', '8-21'],
  'us-ct': ['9-20', '9-20', '9-20'],
  'us-fl': ['8-20', '8-20', '8-20'],
  'us-ma': ['8-20', '8-20', '8-20'],
  'us-md': ['8-20', '8-20', '8-20'],
  'us-mn': ['9-21', '9-21', '9-21'],
  'us-ms': ['8-21', '8-21', ''],
  'us-ok': ['8-20', '8-20', '8-20'],
  'us-or': ['8-20', '8-20', '8-20'],
  'us-ri': ['9-18', '10-17', ''],
  'us-tx': ['9-21', '9-21', '12-21'],
  'us-ut': ['8-21', '8-21', ''],
  'us-wa': ['8-20', '8-20', '8-20'],
  fr: ['10-13 14-20', '', ''],
  in: ['10-21', '10-21', '10-21'],
  kr: ['8-21', '8-21', '8-21'],
  za: ['8-20', '9-13', ''],
};

/** UTC offsets in hours on the tested days of October 2026, before clocks are changed. */
const OFFSETS: Readonly<Record<string, number>> = {
  'America/New_York': -4,
  'America/Chicago': -5,
  'America/Denver': -6,
  'America/Los_Angeles': -7,
  'Europe/Paris': 2,
  'Asia/Kolkata': 5.5,
  'Asia/Seoul': 9,
  'Africa/Johannesburg': 2,
};

const DAYS = [Date.UTC(2026, 9, 14), Date.UTC(2026, 9, 17), Date.UTC(2026, 9, 18)];

describe('each preset', () => {
  it('is listed in this test, and has a source and a citation', () => {
    expect(RULE_PRESETS.map(({ id }) => id).sort()).toEqual(Object.keys(HOURS).sort());
    for (const { source, citation, effectiveFrom, region } of RULE_PRESETS) {
      expect(source).toMatch(/^https?:\/\//);
      expect(citation).not.toBe('');
      expect(effectiveFrom).toMatch(/^\d{4}(-\d\d-\d\d)?$/);
      if (region !== null) expect(US_REGIONS).toContain(region);
    }
  });

  it.each(RULE_PRESETS.map((rule) => [rule.id, rule] as const))('%s opens and closes to the second', (id, rule) => {
    const zone = ZONES[id] as string;
    const isOpen = (time: number) => findHours([rule], [zone], zone, time).isOpen;
    for (const [index, midnight] of DAYS.entries()) {
      const local = (hour: number, seconds = 0) =>
        midnight + (hour - (OFFSETS[zone] as number)) * 3_600_000 + seconds * 1000;
      const windows = (HOURS[id]?.[index] ?? '')
        .split(' ')
        .filter(Boolean)
        .map((text) => text.split('-').map(Number));
      for (const [from = 0, to = 0] of windows) {
        expect([-1, 0, 1].map((seconds) => isOpen(local(from, seconds)))).toEqual([false, true, true]);
        expect([-1, 0, 1].map((seconds) => isOpen(local(to, seconds)))).toEqual([true, false, false]);
        const hours = findHours([rule], [zone], zone, local(from));
        expect(hours).toEqual({ isOpen: true, until: local(to) });
      }
      const openHours = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => isOpen(local(hour, 1800)));
      expect(openHours.length).toBe(windows.reduce((sum, [from = 0, to = 0]) => sum + to - from, 0));
    }
  });
});

describe('holidays', () => {
  const rule = (id: string) => RULE_PRESETS.find((preset) => preset.id === id) as (typeof RULE_PRESETS)[number];
  const isQuietAllDay = (id: string, date: string) => {
    const zone = ZONES[id] as string;
    const start = Date.parse(`${date}T00:00:00Z`) - 14 * 3_600_000;
    const localDate = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
    const times = Array.from({ length: 50 * 4 }, (_, quarter) => start + quarter * 900_000);
    return times
      .filter((time) => localDate.format(time) === date)
      .every((time) => !findHours([rule(id)], [zone], zone, time).isOpen);
  };

  it.each([
    ['fr', '2026-04-06', 'Easter Monday'],
    ['fr', '2026-05-14', 'Ascension'],
    ['fr', '2026-05-25', 'Whit Monday'],
    ['fr', '2027-03-29', 'Easter Monday'],
    ['fr', '2026-07-14', 'Bastille Day'],
    ['us-ut', '2026-07-24', 'Pioneer Day'],
    ['us-ut', '2025-06-16', 'Juneteenth on a Monday'],
    ['us-ut', '2026-11-26', 'Thanksgiving'],
    ['us-ut', '2026-07-03', 'Independence Day on a Saturday'],
    ['us-ut', '2021-12-31', 'New Year on a Saturday'],
    ['us-ri', '2026-08-10', 'Victory Day'],
    ['us-ri', '2026-11-03', 'a general election'],
    ['us-ri', '2026-05-25', 'Memorial Day'],
    ['za', '2026-04-03', 'Good Friday'],
    ['za', '2026-08-10', "Women's Day on a Sunday"],
  ])('%s is quiet on %s, %s', (id, date) => {
    expect(isQuietAllDay(id, date)).toBe(true);
  });

  it.each([
    ['fr', '2026-04-07'],
    ['us-ut', '2026-07-23'],
    ['us-ri', '2025-11-04'],
    ['za', '2026-08-11'],
  ])('%s is open on %s, the day before or after a holiday', (id, date) => {
    expect(isQuietAllDay(id, date)).toBe(false);
  });
});

it('finds the state of a number by its area code', () => {
  expect(
    ['13055551234', '12125551234', '14165551234', '18005551234', '33612345678', '1305555'].map(findUsRegion),
  ).toEqual(['FL', 'NY', null, null, null, null]);
});
