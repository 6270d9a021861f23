import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  byAddress,
  byBasic,
  byHmac,
  bySecretInPath,
  isRecent,
  requireAll,
} from '../../../src/carriers/http-api/callbacks/verify.js';
import type { VendorCall, Verify } from '../../../src/carriers/http-api/plan.js';

const now = new Date('2027-01-15T12:00:00.000Z');
const createCall = (overrides: Partial<VendorCall>) =>
  ({
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    ip: '192.0.2.7',
    pathSecret: null,
    ...overrides,
  }) as VendorCall;
const isAccepted = (check: Verify | null, overrides: Partial<VendorCall>) =>
  check?.(createCall(overrides), now) === null;

describe('isRecent', () => {
  it.each([
    [0, true],
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
    [86_400, false],
    [Number.NaN, false],
  ])('accepts a call dated %i seconds from now: %s', (seconds, expected) => {
    expect(isRecent(now.getTime() / 1000 + seconds, now)).toBe(expected);
  });
});

describe('a call to a callback URL', () => {
  it("a vendor's call must pass all configured checks", () => {
    const [pass, fail]: [Verify, Verify] = [() => null, () => 'is wrong'];
    expect(isAccepted(requireAll([pass, null, pass]), {})).toBe(true);
    expect(isAccepted(requireAll([pass, fail]), {})).toBe(false);
    expect(isAccepted(requireAll([fail, pass]), {})).toBe(false);
    expect(requireAll([null, null])).toBeNull();
  });

  it("a vendor's call must have a body, a signature and a method with a body if it is signed", () => {
    const check = byHmac({ header: 'X-Sign', secret: 'key', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' });
    const sign = (body: string) => `sha256=${createHmac('sha256', 'key').update(body).digest('hex')}`;
    expect(isAccepted(check, { headers: { 'x-sign': sign('{}') } })).toBe(true);
    expect(isAccepted(check, { headers: { 'x-sign': sign('{ }') } })).toBe(false);
    expect(isAccepted(check, { headers: { 'x-sign': sign('{}').slice(7) } })).toBe(false);
    expect(isAccepted(check, {})).toBe(false);
    expect(isAccepted(check, { headers: { 'x-sign': sign('') }, body: Buffer.alloc(0) })).toBe(false);
    expect(isAccepted(check, { headers: { 'x-sign': sign('{}') }, method: 'GET' })).toBe(false);
  });

  it("a vendor's call may have to contain a secret in its path, or credentials", () => {
    expect(isAccepted(bySecretInPath('secret'), { pathSecret: 'secret' })).toBe(true);
    for (const pathSecret of ['other', '', null])
      expect(isAccepted(bySecretInPath('secret'), { pathSecret })).toBe(false);
    const buildBasic = (text: string) => ({
      headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
    });
    expect(isAccepted(byBasic('ada', 'pass'), buildBasic('ada:pass'))).toBe(true);
    for (const wrongCredentials of ['ada:other', 'bob:pass', 'ada'])
      expect(isAccepted(byBasic('ada', 'pass'), buildBasic(wrongCredentials))).toBe(false);
  });

  it("a vendor's call may have to come from certain IP addresses", () => {
    const check = byAddress(['192.0.2.7', '198.51.100.0/24', '2001:db8::/32']);
    for (const ip of ['192.0.2.7', '::ffff:192.0.2.7', '198.51.100.255', '2001:db8::1']) {
      expect(isAccepted(check, { ip }), ip).toBe(true);
    }
    for (const ip of ['192.0.2.8', '198.51.101.0', '2001:db9::1', '', 'x'])
      expect(isAccepted(check, { ip }), ip).toBe(false);
    for (const invalidAddress of ['example.com', '192.0.2.0/33', '192.0.2.0/x'])
      expect(() => byAddress([invalidAddress])).toThrow(invalidAddress);
  });
});
