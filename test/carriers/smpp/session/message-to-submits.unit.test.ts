import { describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../../../src/carriers/carrier.js';
import { buildSubmits, formatValidityPeriod } from '../../../../src/carriers/smpp/session/message-to-submits.js';
import type { SmppSettings } from '../../../../src/carriers/smpp/settings.js';
import { createSmppSettings, createSms } from '../setup.js';

describe('formatValidityPeriod', () => {
  const now = new Date('2027-01-15T12:00:00Z');
  it.each([
    [1_000, '000000000001000R'],
    [-5_000, '000000000001000R'],
    [48 * 3_600_000, '000002000000000R'],
    [400 * 86_400_000, '010105000000000R'],
  ])('the validity period formats %i ms as %s', (milliseconds, expected) => {
    expect(formatValidityPeriod(new Date(now.getTime() + milliseconds), now, 'relative')).toBe(expected);
  });

  it('the validity period is empty if the validity is left to the SMSC', () => {
    expect(formatValidityPeriod(now, now, 'none')).toBe('');
  });
});

describe('buildSubmits', () => {
  const createMultipartSettings = (multipart: SmppSettings['multipart']) => createSmppSettings(2775, { multipart });
  const createLongSms = (overrides: Partial<OutboundMessage> = {}) => createSms('x'.repeat(400), overrides);

  it('the submit builder creates one submit if the whole text goes into message_payload', () => {
    const [submit, ...others] = buildSubmits(createLongSms(), createMultipartSettings('payload'));
    expect(others).toEqual([]);
    expect(submit?.shortMessage).toHaveLength(0);
    expect([...(submit?.tlvs.values() ?? [])][0]).toHaveLength(400);
  });

  it('the submit builder continues part by part if parts were accepted before, instead of repeating them', () => {
    const acceptedParts = [{ part: 1, carrierMessageId: 'x' }];
    expect(buildSubmits(createLongSms({ acceptedParts, attempt: 2 }), createMultipartSettings('payload'))).toHaveLength(
      3,
    );
    expect(
      buildSubmits(createSms('short', { acceptedParts, attempt: 2 }), createMultipartSettings('payload')),
    ).toHaveLength(1);
  });

  it('the submit builder numbers the parts with a user data header or with SAR TLVs', () => {
    const withHeader = buildSubmits(createLongSms(), createMultipartSettings('udh'));
    expect(withHeader.map(({ esmClass }) => esmClass)).toEqual([0x40, 0x40, 0x40]);
    const withTlvs = buildSubmits(createLongSms(), createMultipartSettings('sar'));
    expect(withTlvs.map(({ esmClass, tlvs }) => [esmClass, tlvs.size])).toEqual([
      [0, 3],
      [0, 3],
      [0, 3],
    ]);
  });
});
