import { describe, expect, it } from 'vitest';
import { partsOf, storedBytesOf, weightOf } from '../../../src/messages/accept/volume.js';
import type { SendRequest } from '../../../src/messages/compose/send-request.js';

function request(body: string, recipients: number, kind: 'sms' | 'whatsapp' = 'sms'): SendRequest {
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

describe('what one request may hold', () => {
  it('an SMS has 255 parts at the most, for its parts are numbered in one octet', () => {
    expect(partsOf(request('x'.repeat(255 * 153), 1))).toBe(255);
    expect(() => partsOf(request('x'.repeat(255 * 153 + 1), 1))).toThrow(
      /message must not need more than 255 SMS parts/,
    );
    expect(partsOf(request('x'.repeat(255 * 153 + 1), 1, 'whatsapp'))).toBe(1);
  });

  it('ten thousand recipients of the longest SMS and of 4,096 Cyrillic letters fit in', () => {
    expect(storedBytesOf(request('😀'.repeat(1_600), 10_000))).toBe(64_000_000);
    expect(storedBytesOf(request('Ж'.repeat(4_096), 10_000, 'whatsapp'))).toBe(81_920_000);
  });

  it('more than 100 MiB of text over all recipients is refused, naming how many may have it', () => {
    expect(() => storedBytesOf(request('x'.repeat(700_000), 1_500, 'whatsapp'))).toThrow(
      /^to must not hold more than 149 recipients for a text and content of 700000 bytes$/,
    );
    expect(storedBytesOf(request('x'.repeat(700_000), 149, 'whatsapp'))).toBe(104_300_000);
  });

  it('a short text weighs nothing beside its message, a long one as much as many', () => {
    expect(weightOf(1, storedBytesOf(request('Hello', 1)))).toBe(1);
    expect(weightOf(1, storedBytesOf(request('x'.repeat(409_600), 1, 'whatsapp')))).toBe(101);
  });
});
