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
    expect(inboundNumber(address, ton, smppSettings(1, { countryCallingCode: '40' }))).toBe(number);
  });

  it('stays national without a country', () => {
    expect(inboundNumber('0722000001', 2, smppSettings(1))).toBe('0722000001');
  });
});
