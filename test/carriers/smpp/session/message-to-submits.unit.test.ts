import { describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../../../src/carriers/carrier.js';
import { messageToSubmits, validityPeriod } from '../../../../src/carriers/smpp/session/message-to-submits.js';
import type { SmppSettings } from '../../../../src/carriers/smpp/settings.js';
import { smppSettings, sms } from '../setup.js';

describe('the validity period', () => {
  const now = new Date('2027-01-15T12:00:00Z');
  it.each([
    [1_000, '000000000001000R'],
    [-5_000, '000000000001000R'],
    [48 * 3_600_000, '000002000000000R'],
    [400 * 86_400_000, '010105000000000R'],
  ])('of %i ms is %s', (milliseconds, expected) => {
    expect(validityPeriod(new Date(now.getTime() + milliseconds), now, 'relative')).toBe(expected);
  });

  it('may be left to the SMSC', () => {
    expect(validityPeriod(now, now, 'none')).toBe('');
  });
});

describe('a message of several parts', () => {
  const settings = (multipart: SmppSettings['multipart']) => smppSettings(2775, { multipart });
  const long = (more: Partial<OutboundMessage> = {}) => sms('x'.repeat(400), more);

  it('goes out as one submit where the payload holds all of it', () => {
    const [submit, ...others] = messageToSubmits(long(), settings('payload'));
    expect(others).toEqual([]);
    expect(submit?.shortMessage).toHaveLength(0);
    expect([...(submit?.tlvs.values() ?? [])][0]).toHaveLength(400);
  });

  it('goes on in parts where some were taken before, for the payload would repeat them', () => {
    const acceptedParts = [{ part: 1, carrierMessageId: 'x' }];
    expect(messageToSubmits(long({ acceptedParts, attempt: 2 }), settings('payload'))).toHaveLength(3);
    expect(messageToSubmits(sms('short', { acceptedParts, attempt: 2 }), settings('payload'))).toHaveLength(1);
  });

  it('is put together by a header or by fields, with one reference', () => {
    const byHeader = messageToSubmits(long(), settings('udh'));
    expect(byHeader.map(({ esmClass }) => esmClass)).toEqual([0x40, 0x40, 0x40]);
    const byFields = messageToSubmits(long(), settings('sar'));
    expect(byFields.map(({ esmClass, tlvs }) => [esmClass, tlvs.size])).toEqual([
      [0, 3],
      [0, 3],
      [0, 3],
    ]);
  });
});
