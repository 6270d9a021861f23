import { expect, it } from 'vitest';
import { Pacer } from '../../../../src/carriers/smpp/session/pacer.js';

it('the pacer allows as many unanswered submits as the window, and no more', () => {
  const pacer = new Pacer({ window: 2, ratePerSecond: 0 });
  for (const now of [0, 1]) {
    expect(pacer.getNextSendAt()).toBeLessThanOrEqual(now);
    pacer.recordSend(now);
  }
  expect([pacer.inFlight, pacer.getNextSendAt()]).toEqual([2, Number.POSITIVE_INFINITY]);
  pacer.recordEnd();
  expect([pacer.inFlight, Number.isFinite(pacer.getNextSendAt())]).toEqual([1, true]);
});
