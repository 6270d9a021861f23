import { afterEach, expect, it, vi } from 'vitest';
import { dayRangeToTimes } from '../../console/src/api/days.js';
import { fillSteps } from '../../console/src/pages/overview/steps.js';

afterEach(() => vi.unstubAllEnvs());

it.each([
  // The second day has no midnight, because clocks change from 0:00 to 1:00.
  [
    'America/Santiago',
    '2026-09-05',
    ['2026-09-05T04:00Z', '2026-09-06T04:00Z', '2026-09-07T03:00Z'],
    '2026-09-08T03:00Z',
  ],
  ['Africa/Cairo', '2026-04-23', ['2026-04-22T22:00Z', '2026-04-23T22:00Z', '2026-04-24T21:00Z'], '2026-04-25T21:00Z'],
  // PostgreSQL uses the later of the second day's two midnights.
  [
    'America/Havana',
    '2026-10-31',
    ['2026-10-31T04:00Z', '2026-11-01T05:00Z', '2026-11-02T05:00Z'],
    '2026-11-03T05:00Z',
  ],
  ['Europe/Berlin', '2026-03-28', ['2026-03-27T23:00Z', '2026-03-28T23:00Z', '2026-03-29T22:00Z'], '2026-03-30T22:00Z'],
])('each day in %s gets its counts when clocks change', (zone, firstDay, starts, end) => {
  vi.stubEnv('TZ', zone);
  const lastDay = new Date(Date.parse(firstDay) + 2 * 86_400_000).toISOString().slice(0, 10);
  const { from, to } = dayRangeToTimes(firstDay, lastDay);
  expect([from, to].map(Date.parse)).toEqual([Date.parse(starts[0] as string), Date.parse(end) - 1]);
  const byTime = starts.map((start, sent) => ({ start, sent }));
  const steps = fillSteps({ from, to, step: 'day', byTime });
  expect(steps.map(({ row }) => row?.sent)).toEqual([0, 1, 2]);
  expect(steps.map(({ start }) => start.getDate())).toEqual(
    starts
      .map((_, day) => Number(firstDay.slice(8)) + day)
      .map((day) => new Date(Number(firstDay.slice(0, 4)), Number(firstDay.slice(5, 7)) - 1, day).getDate()),
  );
});

it('hours without counts are included in the overview', () => {
  const hours = { from: '2026-05-01T10:00:00Z', to: '2026-05-01T12:30:00Z', step: 'hour' as const };
  const steps = fillSteps({ ...hours, byTime: [{ start: '2026-05-01T11:00:00.000Z', sent: 3 }] });
  expect(steps.map(({ row }) => row?.sent)).toEqual([undefined, 3, undefined]);
});
