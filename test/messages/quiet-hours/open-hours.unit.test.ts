import { describe, expect, it } from 'vitest';
import { findHours } from '../../../src/messages/quiet-hours/open-hours.js';
import type { QuietRule, Weekday, Window } from '../../../src/messages/quiet-hours/rule.js';

const EVERY_DAY: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6];

function someRule(windows: readonly Omit<Window, 'days'>[], more: Partial<QuietRule> = {}): QuietRule {
  return {
    ...{ id: 'some', label: 'some', countries: [], region: null, holidays: null, closedDates: [] },
    windows: windows.map((window) => ({ days: EVERY_DAY, ...window })),
    ...more,
  };
}

const toInstant = (text: string) => Date.parse(text);
const daytime = someRule([{ from: 8 * 60, to: 21 * 60 }]);

describe('several zones', () => {
  it('opens when the last zone opens, and closes when the first zone closes', () => {
    const zones = ['America/New_York', 'America/Chicago'];
    const quiet = findHours([daytime], zones, 'America/New_York', toInstant('2026-10-14T12:30:00Z'));
    expect(quiet).toMatchObject({
      isOpen: false,
      opening: { at: toInstant('2026-10-14T13:00:00Z'), zone: 'America/Chicago' },
    });
    const open = findHours([daytime], zones, 'America/New_York', toInstant('2026-10-14T13:00:00Z'));
    expect(open).toEqual({ isOpen: true, until: toInstant('2026-10-15T01:00:00Z') });
  });

  it('follows the main zone if the zones have no moment in common', () => {
    const zones = ['Pacific/Honolulu', 'America/New_York', 'Pacific/Guam'];
    const rule = someRule([{ from: 9 * 60, to: 17 * 60 }]);
    const hours = (time: string) => findHours([rule], zones, 'America/New_York', toInstant(time));
    expect(hours('2026-10-14T13:00:00Z')).toEqual({ isOpen: true, until: toInstant('2026-10-14T21:00:00Z') });
    expect(hours('2026-10-14T21:00:00Z')).toMatchObject({ opening: { at: toInstant('2026-10-15T13:00:00Z') } });
  });
});

describe('several rules', () => {
  it('opens when all rules are open', () => {
    const stricter = someRule([{ from: 9 * 60, to: 20 * 60 }], { id: 'stricter' });
    const hours = findHours([daytime, stricter], ['Europe/Paris'], 'Europe/Paris', toInstant('2026-10-14T06:30:00Z'));
    expect(hours).toMatchObject({ opening: { at: toInstant('2026-10-14T07:00:00Z'), rule: { id: 'stricter' } } });
  });

  it('never opens if the rules have no hour in common', () => {
    const night = someRule([{ from: 0, to: 6 * 60 }]);
    const hours = findHours([daytime, night], ['Europe/Paris'], 'Europe/Paris', toInstant('2026-10-14T06:30:00Z'));
    expect(hours).toMatchObject({ isOpen: false, opening: null });
  });
});

it('passes over weekends, holidays and closed dates', () => {
  const days: readonly Weekday[] = [1, 2, 3, 4, 5];
  const rule = {
    ...daytime,
    windows: [{ days, from: 480, to: 1260 }],
    holidays: 'fr' as const,
    closedDates: ['2026-12-28'],
  };
  const hours = findHours([rule], ['Europe/Paris'], 'Europe/Paris', toInstant('2026-12-24T20:30:00Z'));
  expect(hours).toMatchObject({ opening: { at: toInstant('2026-12-29T07:00:00Z') } });
});

it('stays open over midnight', () => {
  const allDay = someRule([{ from: 0, to: 1440 }]);
  const late = someRule([
    { from: 20 * 60, to: 1440 },
    { from: 0, to: 120 },
  ]);
  expect(findHours([allDay], ['UTC'], 'UTC', toInstant('2026-10-14T06:30:00Z'))).toEqual({ isOpen: true, until: null });
  const hours = findHours([late], ['UTC'], 'UTC', toInstant('2026-10-14T22:00:00Z'));
  expect(hours).toEqual({ isOpen: true, until: toInstant('2026-10-15T02:00:00Z') });
});

describe('in the night in which clocks are put forward', () => {
  // On 2026-03-29 at 01:00 UTC, clocks in Paris change from 02:00 to 03:00.
  const change = toInstant('2026-03-29T01:00:00Z');

  it('opens at the change if the first hour is skipped', () => {
    const rule = someRule([{ from: 150, to: 240 }]);
    const before = findHours([rule], ['Europe/Paris'], 'Europe/Paris', change - 1000);
    expect(before).toMatchObject({ isOpen: false, opening: { at: change } });
    expect(findHours([rule], ['Europe/Paris'], 'Europe/Paris', change)).toEqual({
      isOpen: true,
      until: toInstant('2026-03-29T02:00:00Z'),
    });
  });

  it('closes at the change if the last hour is skipped', () => {
    const rule = someRule([{ from: 0, to: 150 }]);
    const open = findHours([rule], ['Europe/Paris'], 'Europe/Paris', change - 1000);
    expect(open).toEqual({ isOpen: true, until: change });
  });

  it('opens in the morning by the new time', () => {
    const hours = findHours([daytime], ['Europe/Paris'], 'Europe/Paris', toInstant('2026-03-28T21:00:00Z'));
    expect(hours).toMatchObject({ opening: { at: toInstant('2026-03-29T06:00:00Z') } });
  });
});

describe('in the night in which clocks are put back', () => {
  // On 2026-10-25 at 01:00 UTC, clocks in Paris change from 03:00 to 02:00.
  it('is open in both repetitions of an hour', () => {
    const rule = someRule([{ from: 130, to: 170 }]);
    const hours = (time: string) => findHours([rule], ['Europe/Paris'], 'Europe/Paris', toInstant(time));
    expect(hours('2026-10-25T00:10:00Z')).toEqual({ isOpen: true, until: toInstant('2026-10-25T00:50:00Z') });
    expect(hours('2026-10-25T00:50:00Z')).toMatchObject({ opening: { at: toInstant('2026-10-25T01:10:00Z') } });
    expect(hours('2026-10-25T01:50:00Z')).toMatchObject({ opening: { at: toInstant('2026-10-26T01:10:00Z') } });
  });

  it('opens in the morning by the new time', () => {
    const hours = findHours([daytime], ['America/New_York'], 'America/New_York', toInstant('2026-11-01T02:00:00Z'));
    expect(hours).toMatchObject({ opening: { at: toInstant('2026-11-01T13:00:00Z') } });
  });
});
