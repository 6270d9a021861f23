import { getCountries, getCountryCallingCode } from 'libphonenumber-js';
import { describe, expect, it } from 'vitest';
import {
  explainPhoneRule,
  findCallingCode,
  isPhoneNumber,
  parsePhoneNumber,
  writePhoneNumber,
} from '../../../src/carriers/numbers/phone-numbers.js';

describe('findCallingCode', () => {
  it.each(
    Object.entries({
      '15005550111': '1',
      '79261234567': '7',
      '447700900123': '44',
      '4915112345678': '49',
      '353861234567': '353',
      '85212345678': '852',
      '8001234567890': '800',
      '87012345678': '870',
      '97912345678': '979',
    }),
  )('%s starts with the calling code %s', (digits, code) => {
    expect(findCallingCode(digits)).toBe(code);
  });

  it.each(['0123456789', '21012345678', '99912345678', '2', ''])('%j has no calling code', (digits) => {
    expect(findCallingCode(digits)).toBeNull();
  });

  it('finds the calling code of every country', () => {
    for (const country of getCountries()) {
      const code = getCountryCallingCode(country);
      expect(findCallingCode(`${code}123456789`.slice(0, 15)), country).toBe(code);
    }
  });
});

describe('isPhoneNumber', () => {
  it.each(['1500555', '150055501112345', '447700900123'])('accepts %s', (digits) => {
    expect(isPhoneNumber(digits, 'calling-code')).toBe(true);
  });

  it.each([
    '',
    '150055',
    '1500555011123456',
    '15005550a11',
    '+15005550111',
    '1500555011 ',
    '１５００５５５０１１１',
    '21012345678',
  ])('rejects %j', (text) => {
    expect(isPhoneNumber(text, 'calling-code')).toBe(false);
  });

  it.each([
    ['1500555', /of a length that is possible for its country calling code$/],
    ['150055', /of 7 to 15 digits/],
    ['21012345678', /of 7 to 15 digits/],
    ['+1500555', /of 7 to 15 digits/],
    ['+1 (415) 555-2671', /code: write 14155552671, digits only, with the country code$/],
    ['+44 (0)20 7946 0958', /: write 442079460958, digits only/],
    ['0049 151 12345678', /: write 4915112345678, digits only/],
    ['(415) 555-2671', /: write it as digits only, with the country code$/],
  ])('%s is rejected with the matching error text', (text, rule) => {
    expect(explainPhoneRule(text)).toMatch(rule);
  });

  it('accepts any length from 7 to 15 unless PHONE_VALIDATION=possible', () => {
    expect(isPhoneNumber('1500555', 'calling-code')).toBe(true);
    expect(isPhoneNumber('1500555', 'possible')).toBe(false);
    expect(isPhoneNumber('15005550111', 'possible')).toBe(true);
  });
});

describe('parsePhoneNumber', () => {
  it('accepts surrounding spaces and a plus sign, and remembers the plus sign', () => {
    for (const text of ['15005550111', ' +15005550111 ', '+15005550111']) {
      const recipient = parsePhoneNumber(text, 'calling-code');
      expect(recipient).toEqual({ digits: '15005550111', plus: text.includes('+') });
      expect(recipient && writePhoneNumber(recipient)).toBe(text.trim());
    }
  });

  it.each(['', ' ', '+', '++15005550111', '+ 15005550111', '0015005550111'])('rejects %j', (text) => {
    expect(parsePhoneNumber(text, 'calling-code')).toBeNull();
  });
});
