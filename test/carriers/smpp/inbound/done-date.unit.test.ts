import { describe, expect, it } from 'vitest';
import { DoneDateParser } from '../../../../src/carriers/smpp/inbound/done-date.js';

describe('DoneDateParser', () => {
  it.each([
    ['Europe/Bucharest', '2701151201', '2027-01-15T10:01:00.000Z'],
    ['Europe/Bucharest', '270715120130', '2027-07-15T09:01:30.000Z'],
    ['Europe/Bucharest', '20270715120130', '2027-07-15T09:01:30.000Z'],
    ['Europe/Bucharest', '202707151201', '2027-07-15T09:01:00.000Z'],
    ['Europe/Berlin', '2703280330', '2027-03-28T01:30:00.000Z'],
    ['America/New_York', '2711070030', '2027-11-07T04:30:00.000Z'],
    ['UTC', '2701151201', '2027-01-15T12:01:00.000Z'],
  ])('in zone %s, the done date %s is read as %s', (zone, digits, expected) => {
    expect(new DoneDateParser(zone).parse(digits)?.toISOString()).toBe(expected);
  });

  it.each(['2713151201', '2702301201', '2701152501', '27011512', ''])(
    'the done date parser rejects the invalid date "%s"',
    (digits) => {
      expect(new DoneDateParser('UTC').parse(digits)).toBeNull();
    },
  );
});
