import { expect, it } from 'vitest';
import {
  extractPhone,
  extractUserId,
  isOwnUserId,
  isParentUserId,
  isUserId,
  toAddress,
  toAddresses,
} from '../../../src/carriers/numbers/user-ids.js';

it.each([
  ['US.13491208655302741918', true, false],
  ['DE.a1B2', true, false],
  [`US.${'x'.repeat(128)}`, true, false],
  ['US.ENT.11815799212886844830', true, true],
  [`US.ENT.${'x'.repeat(128)}`, true, true],
  [`US.${'x'.repeat(129)}`, false, false],
  ['US.', false, false],
  ['US.ENT.', false, false],
  ['us.1', false, false],
  ['USA.1', false, false],
  ['US.1 ', false, false],
  ['US.1\n', false, false],
  ['15005550111', false, false],
])('%j is a user ID: %s, of linked portfolios: %s', (text, isId, isParent) => {
  expect([isUserId(text), isParentUserId(text)]).toEqual([isId, isParent]);
  expect(isOwnUserId(text)).toBe(isId && !isParent);
});

it('a message is addressed to the number, else to the ID of the portfolio, else to the parent ID', () => {
  const ids = { phone: '15005550111', userId: 'US.1', parentUserId: 'US.ENT.1' };
  expect(toAddress(ids)).toBe('15005550111');
  expect(toAddress({ ...ids, phone: null })).toBe('US.1');
  expect(toAddress({ ...ids, phone: null, userId: null })).toBe('US.ENT.1');
  expect(toAddress({ phone: null, userId: null, parentUserId: null })).toBeNull();
  expect(toAddresses(ids)).toEqual(['15005550111', 'US.1', 'US.ENT.1']);
  expect(toAddresses({ ...ids, userId: null })).toEqual(['15005550111', 'US.ENT.1']);
});

it('an address is either a number or an ID', () => {
  expect([extractPhone('15005550111'), extractUserId('15005550111')]).toEqual(['15005550111', null]);
  expect([extractPhone('US.1'), extractUserId('US.1')]).toEqual([null, 'US.1']);
});
