import { expect, it } from 'vitest';
import { Pacer } from '../../../../src/carriers/smpp/session/pacer.js';

it('the pacer allows as many unanswered submits as the window, and no more', () => {
  const pacer = new Pacer({ window: 2, ratePerSecond: 0 });
  for (const now of [0, 1]) {
    expect(pacer.nextAt()).toBeLessThanOrEqual(now);
    pacer.recordSend(now);
  }
  expect([pacer.inFlight, pacer.nextAt()]).toEqual([2, Number.POSITIVE_INFINITY]);
  pacer.recordEnd();
  expect([pacer.inFlight, Number.isFinite(pacer.nextAt())]).toEqual([1, true]);
});
