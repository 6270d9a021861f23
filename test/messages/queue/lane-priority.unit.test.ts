import { expect, it } from 'vitest';
import { LaneOrder } from '../../../src/messages/queue/lane-order.js';

it('a message is sent after all waiting messages of its account with a higher priority', () => {
  const order = new LaneOrder();
  const source = { accountId: 'account', campaignId: null, share: 1 };
  const higherTurns = Array.from({ length: 20 }, () => order.assignNumber({ ...source, first: true }));
  const lower = order.assignNumber({ ...source, first: false });
  expect(lower).toBeGreaterThan(Math.max(...higherTurns));
});
