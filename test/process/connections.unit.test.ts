import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConnectionNeeds, shareConnections } from '../../src/process/startup/connections.js';

const createNeeds = (overrides: Partial<ConnectionNeeds>): ConnectionNeeds => ({
  budget: 40,
  sends: true,
  serves: true,
  queueInStore: true,
  workerConcurrency: 4,
  lanes: 2,
  ...overrides,
});

/** Sum over all pools. */
function totalConnections(connectionNeeds: ConnectionNeeds): number {
  const { queue, ...pools } = shareConnections(connectionNeeds);
  const poolTotal = Object.values(pools).reduce((sum, share) => sum + share, 0);
  const listening = queue && queue.working > 0 ? 1 : 0;
  return poolTotal + (queue ? connectionNeeds.lanes * (queue.adding + queue.working + listening) : 0);
}

describe('shareConnections', () => {
  it('gives most of the default budget to requests', () => {
    expect(shareConnections(createNeeds({}))).toEqual({
      general: 12,
      byKey: 5,
      runners: 3,
      callbacks: 3,
      webhooks: 2,
      live: 1,
      queue: { adding: 2, working: 4 },
    });
  });

  it('gives no connections to background work in an API process, nor to a queue in Redis', () => {
    expect(shareConnections(createNeeds({ sends: false, queueInStore: false }))).toEqual({
      general: 26,
      byKey: 13,
      runners: 0,
      callbacks: 0,
      webhooks: 0,
      live: 1,
      queue: null,
    });
  });

  it('divides any budget exactly, and gives each pool at least one connection', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 15, max: 1_000 }),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 1_000 }),
        fc.boolean(),
        (budget, sends, queueInStore, workerConcurrency, serves) => {
          const connectionNeeds = createNeeds({ budget, sends, queueInStore, workerConcurrency, serves });
          expect(totalConnections(connectionNeeds)).toBe(budget);
          const { general, byKey, runners, callbacks, webhooks, queue } = shareConnections(connectionNeeds);
          expect(Math.min(general, byKey)).toBeGreaterThanOrEqual(2);
          if (sends) expect(Math.min(runners, callbacks, webhooks)).toBeGreaterThanOrEqual(1);
          if (queue) expect(queue.adding).toBeGreaterThanOrEqual(1);
          if (queue && sends) expect(queue.working).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });
});
