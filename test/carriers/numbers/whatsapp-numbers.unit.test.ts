import { describe, expect, it } from 'vitest';
import { findOtherWhatsappForm, toSmsNumber } from '../../../src/carriers/numbers/whatsapp-numbers.js';
import {
  DIGITS_ONLY,
  extractDigits,
  INTERNATIONAL,
  parseWrittenNumber,
  readWrittenNumber,
} from '../../../src/carriers/numbers/written-numbers.js';

describe('the two WhatsApp forms of a number', () => {
  it.each([
    ['Mexico', '525512340001', '5215512340001'],
    ['Argentina', '541123456789', '5491123456789'],
    ['Brazil', '553188765432', '5531988765432'],
  ])('are converted into each other for %s', (_, shorter, longer) => {
    expect(findOtherWhatsappForm(shorter)).toBe(longer);
    expect(findOtherWhatsappForm(longer)).toBe(shorter);
  });

  it.each(['14155552671', '553133334444', '52155123400012', '5215512', 'US.134912'])(
    '%s has only one form',
    (digits) => {
      expect(findOtherWhatsappForm(digits)).toBeNull();
    },
  );

  it.each([
    ['5215512340001', '525512340001'],
    ['525512340001', '525512340001'],
    ['553188765432', '5531988765432'],
    ['5491123456789', '5491123456789'],
    ['14155552671', '14155552671'],
  ])('an SMS to %s goes to %s', (address, number) => {
    expect(toSmsNumber(address)).toBe(number);
  });
});

describe('a WhatsApp number', () => {
  it.each([
    ['5215512340001', DIGITS_ONLY],
    ['5215512340001', INTERNATIONAL],
    ['5215512340001', 'MX'],
    ['+5215512340001', null],
    ['+52 1 55 1234 0001', null],
    ['52 1 55 1234 0001', 'MX'],
  ])('%s, read by %s, is accepted although it is too long for Mexico', (text, country) => {
    expect(readWrittenNumber(text, country, 'whatsapp')).toEqual({ digits: '5215512340001' });
    expect(readWrittenNumber(text, country)).toMatchObject({ reason: expect.stringContaining('Mexico') });
  });

  it.each(['1415555267', '33123456789012'])('%s is accepted although its length is impossible', (digits) => {
    expect(readWrittenNumber(digits, DIGITS_ONLY, 'whatsapp')).toEqual({ digits });
    expect(parseWrittenNumber(`+${digits}`, 'US', 'whatsapp')).toEqual({ digits, plus: true });
    expect(parseWrittenNumber(`+${digits}`, 'US', 'sms')).toBeNull();
  });

  it.each([
    ['415 555 26', 'US', 'is too short for United States (+1)'],
    ['(415) 555-2671', INTERNATIONAL, 'is too short for Switzerland (+41)'],
    ['+99912345678', null, 'must begin with an assigned country calling code'],
    ['+1234567890123456', null, expect.stringMatching(/^is too long/)],
    ['12', DIGITS_ONLY, 'is too short for a phone number'],
  ])('%s, read by %s, is refused: %s', (text, country, reason) => {
    expect(readWrittenNumber(text, country, 'whatsapp')).toEqual({ reason });
  });
});

describe('a text with a slash', () => {
  it.each([
    ['0761 1234 / 1235', 'DE'],
    ['0761 1234/0761 1235', 'DE'],
    ['+49 761 1234 / 1235', null],
    ['+49 761 1234 / +49 761 1235', null],
    ['0761/1234/1235', 'DE'],
  ])('%s, read by %s, is rejected because it contains two numbers', (text, country) => {
    for (const kind of ['sms', 'whatsapp'] as const) {
      expect(readWrittenNumber(text, country, kind)).toHaveProperty('reason');
    }
    expect(extractDigits(text)).toBeNull();
  });

  it.each([
    ['0761/1234567', 'DE', '497611234567'],
    ['089 / 123 456', 'DE', '4989123456'],
    ['+49 761/1234567', null, '497611234567'],
    ['+1 415/555-2671', null, '14155552671'],
  ])('%s, read by %s, is a single number', (text, country, digits) => {
    expect(readWrittenNumber(text, country)).toEqual({ digits });
  });
});
