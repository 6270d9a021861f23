import { describe, expect, it } from 'vitest';
import {
  DIGITS_ONLY,
  extractDigits,
  findRegion,
  INTERNATIONAL,
  lacksPlus,
  readWrittenNumber,
} from '../../../src/carriers/numbers/written-numbers.js';

describe('readWrittenNumber', () => {
  it.each([
    ['+1 (415) 555-2671', null, '14155552671'],
    ['+14155552671', null, '14155552671'],
    ['＋１ ４１５ ５５５ ２６７１', null, '14155552671'],
    ['\u202a+44 7911 123456\u202c', null, '447911123456'],
    ['+44 (0)20 7946 0958', null, '442079460958'],
    ['0049 151 12345678', null, '4915112345678'],
    ['tel:+39-02-1234567', null, '39021234567'],
    ['+870 123456789', null, '870123456789'],
    ['(415) 555-2671', 'US', '14155552671'],
    ['1 415 555 2671', 'US', '14155552671'],
    ['011 44 7911 123456', 'US', '447911123456'],
    ['0151 12345678', 'DE', '4915112345678'],
    ['15112345678', 'DE', '4915112345678'],
    ['4915112345678', 'DE', '4915112345678'],
    ['34912345678', 'ES', '34912345678'],
    ['912 345 678', 'ES', '34912345678'],
    ['02 1234567', 'IT', '39021234567'],
    ['4155552671.0', 'US', '14155552671'],
    ['14155552671', INTERNATIONAL, '14155552671'],
    ['1 (415) 555-2671', INTERNATIONAL, '14155552671'],
    ['14155552671', DIGITS_ONLY, '14155552671'],
  ])('reads %s by %s as %s', (text, country, digits) => {
    expect(readWrittenNumber(text, country)).toEqual({ digits });
  });

  it.each([
    ['', null, 'is required'],
    ['(415) 555-2671', null, /^has no \+ and country code/],
    ['(415) 555-2671', DIGITS_ONLY, /^has no \+ and country code/],
    // Read as an international number, (415) 555-2671 has Switzerland's country code but too few digits.
    ['(415) 555-2671', INTERNATIONAL, 'is too short for Switzerland (+41)'],
    ['415 555 26', 'US', 'is too short for United States (+1)'],
    ['447911123456', 'US', 'is too long for United States (+1)'],
    ['0151 12345678', INTERNATIONAL, /^begins with 0/],
    ['+99912345678', null, 'must begin with an assigned country calling code'],
    ['12', INTERNATIONAL, 'is too short for a phone number'],
    ['4.91512E+11', 'DE', /^was rounded by a spreadsheet/],
    ['+1 415 555 2671 ext. 5', null, /^has an extension/],
    ['nobody', 'US', /^must be a phone number/],
    ['+1 415 CALL NOW', null, /^must be a phone number/],
  ])('rejects %s, read by %s: %s', (text, country, reason) => {
    expect(readWrittenNumber(text, country)).toMatchObject({
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });
  });

  it('recognizes numbers whose country must be chosen', () => {
    expect(['(415) 555-2671', '4155552671', '0151 12345678'].filter(lacksPlus)).toHaveLength(3);
    expect(['+1 415 555 2671', '0049 151 12345678', '', 'nobody', '4.9E+11'].filter(lacksPlus)).toEqual([]);
  });

  it('finds the country of a number', () => {
    expect(['14155552671', '16135550123', '447911123456', '870123456789'].map(findRegion)).toEqual([
      ...['US', 'CA', expect.any(String), null],
    ]);
  });

  it('extracts the digits of a number from a form field', () => {
    expect(extractDigits(' +1 (415) 555-2671 ')).toBe('14155552671');
    expect(extractDigits('14155552671')).toBe('14155552671');
    expect(extractDigits('32323')).toBe('32323');
    expect(extractDigits('+44 79')).toBe('4479');
    expect(extractDigits('(415) 555-2671')).toBeNull();
    expect(extractDigits('Ada')).toBeNull();
  });
});
