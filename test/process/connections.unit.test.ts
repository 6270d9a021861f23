import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConnectionNeeds, shareConnections } from '../../src/process/startup/connections.js';

const needs = (given: Partial<ConnectionNeeds>): ConnectionNeeds => ({
  budget: 40,
  works: true,
  serves: true,
  queueInStore: true,
  workerConcurrency: 4,
  lanes: 2,
  ...given,
});

/** What all pools of a process may hold together. */
function sumOf(given: ConnectionNeeds): number {
  const { queue, ...pools } = shareConnections(given);
  const ofPools = Object.values(pools).reduce((sum, share) => sum + share, 0);
  const listening = queue && queue.working > 0 ? 1 : 0;
  return ofPools + (queue ? given.lanes * (queue.adding + queue.working + listening) : 0);
}

describe('shareConnections', () => {
  it('gives the default budget to requests first', () => {
    expect(shareConnections(needs({}))).toEqual({
      general: 12,
      byKey: 5,
      runners: 3,
      callbacks: 3,
      webhooks: 2,
      live: 1,
      queue: { adding: 2, working: 4 },
    });
  });

  it('gives nothing to work that a process does not do, nor to a queue that lies in Redis', () => {
    expect(shareConnections(needs({ works: false, queueInStore: false }))).toEqual({
      general: 26,
      byKey: 13,
      runners: 0,
      callbacks: 0,
      webhooks: 0,
      live: 1,
      queue: null,
    });
  });

  it('shares out exactly the budget, whatever it is, and leaves no pool without a connection', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 15, max: 1_000 }),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 1_000 }),
        fc.boolean(),
        (budget, works, queueInStore, workerConcurrency, serves) => {
          const given = needs({ budget, works, queueInStore, workerConcurrency, serves });
          expect(sumOf(given)).toBe(budget);
          const { general, byKey, runners, callbacks, webhooks, queue } = shareConnections(given);
          expect(Math.min(general, byKey)).toBeGreaterThanOrEqual(2);
          if (works) expect(Math.min(runners, callbacks, webhooks)).toBeGreaterThanOrEqual(1);
          if (queue) expect(queue.adding).toBeGreaterThanOrEqual(1);
          if (queue && works) expect(queue.working).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });
});
