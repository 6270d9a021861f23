import { expect, it } from 'vitest';
import { planClaims } from '../../../src/features/webhooks/delivery/claim-plan.js';
import { Endpoint } from '../../../src/features/webhooks/delivery/endpoint.js';

it('a new webhook gets an attempt even with a concurrency below four', () => {
  const endpoint = new Endpoint(false);
  const { requests } = planClaims([], [['webhook', endpoint]], { concurrency: 2, now: 0 });
  expect(requests).toEqual([{ webhookId: 'webhook', count: 1 }]);
});
