import { describe, expect, it } from 'vitest';
import { normalizeInboundNumber } from '../../../../src/carriers/smpp/inbound/phone-number.js';
import { createSmppSettings } from '../setup.js';

describe('normalizeInboundNumber', () => {
  it.each([
    ['+40722000001', 1, '40722000001'],
    ['0040722000001', 0, '40722000001'],
    ['0722000001', 2, '40722000001'],
    ['0722000001', 0, '40722000001'],
    ['722000001', 2, '40722000001'],
    ['40722000001', 1, '40722000001'],
    ['1820', 3, '1820'],
    ['1820', 2, '1820'],
    ['40722000001', 2, '40722000001'],
    ['+4915112345678', 2, '4915112345678'],
    ['0004', 2, '0004'],
    ['Shop', 5, 'Shop'],
  ])('the inbound number %s with TON %i is normalized to %s', (address, ton, number) => {
    expect(normalizeInboundNumber(address, ton, createSmppSettings(1, { countryCallingCode: '40' }))).toEqual({
      number,
      isNational: false,
    });
  });

  it.each([
    ['10086', '86', '10086'],
    ['13800138000', '86', '8613800138000'],
    ['1069012345678', '86', '1069012345678'],
    ['0612345678', '39', '390612345678'],
    ['89161234567', '7', '79161234567'],
    ['2025550123', '1', '12025550123'],
    ['611', '1', '611'],
    ['72345', '49', '72345'],
    ['211234', '298', '298211234'],
  ])('the national number %s with country code +%s is normalized to %s', (address, countryCallingCode, number) => {
    expect(normalizeInboundNumber(address, 2, createSmppSettings(1, { countryCallingCode }))).toEqual({
      number,
      isNational: false,
    });
  });

  it.each([
    ['0722000001', 2, '0722000001', true],
    ['722000001', 2, '722000001', true],
    ['0722000001', 0, '0722000001', true],
    ['0722000001', 1, '0722000001', true],
    ['+40722000001', 2, '40722000001', false],
    ['40722000001', 0, '40722000001', false],
    ['1820', 3, '1820', false],
    ['1820', 2, '1820', true],
    ['Shop', 5, 'Shop', false],
  ])('without a country code, %s with TON %i is converted to %s (national: %s)', (address, ton, number, isNational) => {
    expect(normalizeInboundNumber(address, ton, createSmppSettings(1))).toEqual({ number, isNational });
  });
});
