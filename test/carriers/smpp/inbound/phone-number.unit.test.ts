import { describe, expect, it } from 'vitest';
import { inboundNumber } from '../../../../src/carriers/smpp/inbound/phone-number.js';
import { smppSettings } from '../setup.js';

describe('an inbound number', () => {
  it.each([
    ['+40722000001', 1, '40722000001'],
    ['0040722000001', 0, '40722000001'],
    ['0722000001', 2, '40722000001'],
    ['0722000001', 0, '40722000001'],
    ['722000001', 2, '40722000001'],
    ['40722000001', 1, '40722000001'],
    ['1820', 3, '1820'],
    ['Shop', 5, 'Shop'],
  ])('%s of type %i is %s', (address, ton, number) => {
    expect(inboundNumber(address, ton, smppSettings(1, { countryCallingCode: '40' }))).toEqual({
      number,
      isNational: false,
    });
  });

  it.each([
    ['0722000001', 2, '722000001', true],
    ['722000001', 2, '722000001', true],
    ['0722000001', 0, '722000001', true],
    ['0722000001', 1, '722000001', true],
    ['40722000001', 0, '40722000001', false],
    ['1820', 3, '1820', false],
    ['1820', 2, '1820', false],
    ['Shop', 5, 'Shop', false],
  ])('without a country, %s of type %i is %s, national: %s', (address, ton, number, isNational) => {
    expect(inboundNumber(address, ton, smppSettings(1))).toEqual({ number, isNational });
  });
});
