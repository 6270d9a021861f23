import { describe, expect, it } from 'vitest';
import type { ReceiptStatus } from '../../../src/carriers/carrier.js';
import type { ReceiptEvent, SentEvent } from '../../../src/messages/status/events.js';
import { foldProgress, getStatusTime, type StatusTimes, toRounds } from '../../../src/messages/status/status.js';

const now = new Date('2026-11-26T12:00:00Z');
const createSentEvent = (attempt: number): SentEvent => ({
  ...{
    type: 'sent',
    id: 'm',
    attempt,
    carrier: 'smsc',
    carrierMessageId: `of-${attempt}`,
    needsReference: true,
    at: now,
  },
});
const createReceipt = (status: ReceiptStatus, overrides: Partial<ReceiptEvent> = {}): ReceiptEvent => ({
  type: 'receipt',
  id: 'm',
  source: { carrier: 'smsc', carrierMessageId: 'of-2', attempt: null },
  status,
  at: now,
  errorCode: null,
  errorMessage: null,
  ...overrides,
});
const deliveredEvent = createReceipt('delivered');

describe('two attempts that carriers accepted', () => {
  it.each([
    ['the older one first', [createSentEvent(1), createSentEvent(2)]],
    ['the older one last', [createSentEvent(2), createSentEvent(1)]],
    ['the older one behind a receipt', [createSentEvent(2), deliveredEvent, createSentEvent(1)]],
    ['a receipt first', [deliveredEvent, createSentEvent(2), createSentEvent(1)]],
  ])('the later of two accepted attempts counts, with events %s', (_, events) => {
    const [progress, ...others] = foldProgress(events);
    expect(others).toEqual([]);
    expect(progress?.sent).toEqual(createSentEvent(2));
    expect(progress?.status).toBe(events.includes(deliveredEvent) ? 'delivered' : 'sent');
  });
});

describe('receipts of one attempt', () => {
  const laterTime = new Date(now.getTime() + 5_000);

  it('a read message has the times of delivery and of reading', () => {
    expect(foldProgress([createReceipt('read')])).toMatchObject([{ status: 'read', deliveredAt: now, readAt: now }]);
    expect(foldProgress([deliveredEvent, createReceipt('read', { at: laterTime })])).toMatchObject([
      { status: 'read', deliveredAt: now, readAt: laterTime, endedAt: null },
    ]);
  });

  it('a failure after a delivery is ignored', () => {
    const failure = createReceipt('failed', { errorCode: 'X', errorMessage: 'No', at: laterTime });
    expect(foldProgress([deliveredEvent, failure])).toMatchObject([
      { status: 'delivered', endedAt: null, errorCode: null, errorMessage: null },
    ]);
    expect(foldProgress([failure])).toMatchObject([
      { status: 'failed', endedAt: laterTime, errorCode: 'X', errorMessage: 'No', deliveredAt: null },
    ]);
  });

  it('receipts are kept apart by message, and from attempts whose ownership only the row knows', () => {
    const otherReceipt = createReceipt('failed', {
      source: { carrier: 'other', carrierMessageId: 'of-1', attempt: null },
    });
    const progress = foldProgress([
      createSentEvent(2),
      otherReceipt,
      deliveredEvent,
      createReceipt('read', { id: 'n' }),
    ]);
    expect(progress.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(['m delivered', 'm failed', 'n read']);
    expect(toRounds(progress).map((round) => round.map(({ id }) => id).sort())).toEqual([['m', 'n'], ['m']]);
  });
});

describe('getStatusTime', () => {
  const toMoment = (minute: number) => new Date(Date.UTC(2027, 0, 15, 12, minute));
  const row: StatusTimes = {
    ...{ status: 'queued', createdAt: toMoment(0), sendingAt: toMoment(1), sentAt: toMoment(2) },
    ...{ deliveredAt: toMoment(3), readAt: toMoment(4), endedAt: toMoment(5) },
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
    expect(getStatusTime({ ...row, status })).toEqual(toMoment(minute));
  });

  it('the status change is at acceptance if no other time is known', () => {
    expect(getStatusTime({ ...row, status: 'sent', sentAt: null })).toEqual(toMoment(0));
  });
});
