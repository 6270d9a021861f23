import { describe, expect, it } from 'vitest';
import type { ReceiptStatus } from '../../../src/carriers/carrier.js';
import type { ReceiptEvent, SentEvent } from '../../../src/messages/status/events.js';
import { foldProgress, getStatusTime, type StatusTimes, toRounds } from '../../../src/messages/status/status.js';

const at = new Date('2026-11-26T12:00:00Z');
const sent = (attempt: number): SentEvent => ({
  ...{ type: 'sent', id: 'm', attempt, carrier: 'smsc', carrierMessageId: `of-${attempt}`, needsReference: true, at },
});
const receipt = (status: ReceiptStatus, more: Partial<ReceiptEvent> = {}): ReceiptEvent => ({
  type: 'receipt',
  id: 'm',
  source: { carrier: 'smsc', carrierMessageId: 'of-2', attempt: null },
  status,
  at,
  errorCode: null,
  errorMessage: null,
  ...more,
});
const delivered = receipt('delivered');

describe('of two attempts that carriers accepted', () => {
  it.each([
    ['the older one first', [sent(1), sent(2)]],
    ['the older one last', [sent(2), sent(1)]],
    ['the older one behind a receipt', [sent(2), delivered, sent(1)]],
    ['a receipt first', [delivered, sent(2), sent(1)]],
  ])('the later of two accepted attempts counts, with events %s', (_, events) => {
    const [progress, ...others] = foldProgress(events);
    expect(others).toEqual([]);
    expect(progress?.sent).toEqual(sent(2));
    expect(progress?.status).toBe(events.includes(delivered) ? 'delivered' : 'sent');
  });
});

describe('receipts of one attempt', () => {
  const later = new Date(at.getTime() + 5_000);

  it('a read message has the times of delivery and of reading', () => {
    expect(foldProgress([receipt('read')])).toMatchObject([{ status: 'read', deliveredAt: at, readAt: at }]);
    expect(foldProgress([delivered, receipt('read', { at: later })])).toMatchObject([
      { status: 'read', deliveredAt: at, readAt: later, endedAt: null },
    ]);
  });

  it('a failure after a delivery is ignored', () => {
    const failure = receipt('failed', { errorCode: 'X', errorMessage: 'No', at: later });
    expect(foldProgress([delivered, failure])).toMatchObject([
      { status: 'delivered', endedAt: null, errorCode: null, errorMessage: null },
    ]);
    expect(foldProgress([failure])).toMatchObject([
      { status: 'failed', endedAt: later, errorCode: 'X', errorMessage: 'No', deliveredAt: null },
    ]);
  });

  it('receipts are kept apart by message, and from attempts whose ownership only the row knows', () => {
    const otherReceipt = receipt('failed', { source: { carrier: 'other', carrierMessageId: 'of-1', attempt: null } });
    const progress = foldProgress([sent(2), otherReceipt, delivered, receipt('read', { id: 'n' })]);
    expect(progress.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(['m delivered', 'm failed', 'n read']);
    expect(toRounds(progress).map((round) => round.map(({ id }) => id).sort())).toEqual([['m', 'n'], ['m']]);
  });
});

describe('getStatusTime', () => {
  const moment = (minute: number) => new Date(Date.UTC(2027, 0, 15, 12, minute));
  const row: StatusTimes = {
    ...{ status: 'queued', createdAt: moment(0), sendingAt: moment(1), sentAt: moment(2) },
    ...{ deliveredAt: moment(3), readAt: moment(4), endedAt: moment(5) },
  };

  it.each([
    ['queued', 0],
    ['sending', 1],
    ['sent', 2],
    ['delivered', 3],
    ['read', 4],
    ['failed', 5],
    ['canceled', 5],
  ] as const)('the status change of a message that became %s is at its time', (status, minute) => {
    expect(getStatusTime({ ...row, status })).toEqual(moment(minute));
  });

  it('the status change is at acceptance if no other time is known', () => {
    expect(getStatusTime({ ...row, status: 'sent', sentAt: null })).toEqual(moment(0));
  });
});
