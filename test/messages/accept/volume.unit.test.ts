import { describe, expect, it } from 'vitest';
import { computeCommitWeight, countPartsPerMessage, measureStoredBytes } from '../../../src/messages/accept/volume.js';
import type { SendRequest } from '../../../src/messages/compose/send-request.js';

function createRequest(body: string, recipients: number, kind: 'sms' | 'whatsapp' = 'sms'): SendRequest {
  return {
    account: { id: '', currency: 'USD', rateCardId: 'standard' },
    surface: 'a',
    kind,
    sender: 'Heliograph',
    recipients: Array.from({ length: recipients }, () => ({ digits: '15005550100', plus: false })),
    body,
    content: null,
    priority: 0,
    channelId: null,
    carrier: 'simulator',
    idempotencyKey: null,
  };
}

describe('size limits of a request', () => {
  it('an SMS has at most 255 parts, which are numbered in one octet', () => {
    expect(countPartsPerMessage(createRequest('x'.repeat(255 * 153), 1))).toBe(255);
    expect(() => countPartsPerMessage(createRequest('x'.repeat(255 * 153 + 1), 1))).toThrow(
      /message must not need more than 255 SMS parts/,
    );
    expect(countPartsPerMessage(createRequest('x'.repeat(255 * 153 + 1), 1, 'whatsapp'))).toBe(1);
  });

  it('ten thousand recipients of the longest SMS, or of 4,096 Cyrillic letters, are allowed', () => {
    expect(measureStoredBytes(createRequest('😀'.repeat(1_600), 10_000))).toBe(64_000_000);
    expect(measureStoredBytes(createRequest('Ж'.repeat(4_096), 10_000, 'whatsapp'))).toBe(81_920_000);
  });

  it('more than 100 MiB of text for all recipients is refused, naming the allowed number of recipients', () => {
    expect(() => measureStoredBytes(createRequest('x'.repeat(700_000), 1_500, 'whatsapp'))).toThrow(
      /^to must not have more than 149 recipients for a text and content of 700000 bytes$/,
    );
    expect(measureStoredBytes(createRequest('x'.repeat(700_000), 149, 'whatsapp'))).toBe(104_300_000);
  });

  it('a short text adds no weight to its message, and a long one weighs as much as many messages', () => {
    expect(computeCommitWeight(1, measureStoredBytes(createRequest('Hello', 1)))).toBe(1);
    expect(computeCommitWeight(1, measureStoredBytes(createRequest('x'.repeat(409_600), 1, 'whatsapp')))).toBe(101);
  });
});
