import { expect, it } from 'vitest';
import { LaneOrder } from '../../../src/messages/queue/lane-order.js';

it('a message of the lower priority leaves after every message of the higher one that its account already has waiting', () => {
  const order = new LaneOrder();
  const source = { accountId: 'account', campaignId: null, share: 1 };
  const higher = Array.from({ length: 20 }, () => order.assignNumber({ ...source, first: true }));
  const lower = order.assignNumber({ ...source, first: false });
  expect(lower).toBeGreaterThan(Math.max(...higher));
});
