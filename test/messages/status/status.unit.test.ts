import { describe, expect, it } from 'vitest';
import type { ReceiptEvent, SentEvent } from '../../../src/messages/status/events.js';
import { foldProgress } from '../../../src/messages/status/status.js';

const at = new Date('2026-11-26T12:00:00Z');
const sent = (attempt: number): SentEvent => ({
  ...{ type: 'sent', id: 'm', attempt, carrier: 'smsc', carrierMessageId: `of-${attempt}`, needsReference: true, at },
});
const delivered: ReceiptEvent = {
  type: 'receipt',
  id: 'm',
  source: { carrier: 'smsc', carrierMessageId: 'of-2', attempt: null },
  status: 'delivered',
  at,
  errorCode: null,
  errorMessage: null,
};

describe('of two attempts that a carrier took', () => {
  it.each([
    ['the older one first', [sent(1), sent(2)]],
    ['the older one last', [sent(2), sent(1)]],
    ['the older one behind a receipt', [sent(2), delivered, sent(1)]],
    ['a receipt first', [delivered, sent(2), sent(1)]],
  ])('the later one counts, told %s', (_, events) => {
    const [progress, ...others] = foldProgress(events);
    expect(others).toEqual([]);
    expect(progress?.sent).toEqual(sent(2));
    expect(progress?.status).toBe(events.includes(delivered) ? 'delivered' : 'sent');
  });
});
