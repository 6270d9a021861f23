import { expect, it } from 'vitest';
import { DoneDateParser } from '../../../../src/carriers/smpp/inbound/done-date.js';

// In Berlin, clocks change at 01:00 UTC on 28 March and 31 October 2027.
it.each([
  ['2703280159', '2027-03-28T00:59:00.000Z'],
  ['2703280300', '2027-03-28T01:00:00.000Z'],
  ['2703280430', '2027-03-28T02:30:00.000Z'],
  ['2710310130', '2027-10-30T23:30:00.000Z'],
  ['2710310330', '2027-10-31T02:30:00.000Z'],
])('the done date %s of an SMSC in Berlin is %s, also on days with a clock change', (doneDate, expected) => {
  expect(new DoneDateParser('Europe/Berlin').parse(doneDate)?.toISOString()).toBe(expected);
});

it('done dates are converted correctly around a clock change in New York', () => {
  // In New York, clocks change at 06:00 UTC on 7 November 2027.
  const dates = new DoneDateParser('America/New_York');
  expect(dates.parse('2711062330')?.toISOString()).toBe('2027-11-07T03:30:00.000Z');
  expect(dates.parse('2711070330')?.toISOString()).toBe('2027-11-07T08:30:00.000Z');
});
