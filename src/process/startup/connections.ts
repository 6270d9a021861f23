import type { LaneConnections } from '../../messages/queue/backend.js';

/** How many PostgreSQL connections a process uses for each purpose. */
export interface ConnectionShares {
  /** Accepting requests, and ordinary queries. */
  general: number;
  /** Statuses, claims and other statements that find rows by key only. */
  byKey: number;
  /** Campaigns, automations and fallbacks. Separate, so that they never delay requests or receipts. */
  runners: number;
  /** One connection claims and deletes callbacks, the others store messages. */
  callbacks: number;
  /** One connection reads the outbox, one writes results. */
  webhooks: number;
  /** LISTEN for changes that console pages show; 0 in a process that serves no console. */
  live: number;
  /** Per lane of the queue; null when the queue is in Redis. */
  queue: LaneConnections | null;
}

export interface ConnectionNeeds {
  /** DATABASE_POOL_SIZE. */
  budget: number;
  /** Whether the process sends messages and runs background work. */
  sends: boolean;
  serves: boolean;
  queueInStore: boolean;
  /** Concurrent jobs per lane. */
  workerConcurrency: number;
  lanes: number;
}

/** How the connections that the queue leaves are divided among the pools. */
const SHARES = [
  { name: 'general', weight: 10, min: 2, onlySending: false },
  { name: 'byKey', weight: 5, min: 2, onlySending: false },
  { name: 'runners', weight: 4, min: 1, onlySending: true },
  { name: 'callbacks', weight: 4, min: 1, onlySending: true },
  { name: 'webhooks', weight: 2, min: 1, onlySending: true },
] as const;

/** More workers per lane would only wait for each other's row locks. */
const MAX_WORKING = 4;
const WORKING_SHARE = 10;
const ADDING = 2;
/** With at least this budget, each lane adds jobs over two connections. */
const ROOMY_BUDGET = 30;

/** The sum never exceeds the budget. The minimum of the setting, 15, is enough for every role. */
export function shareConnections({
  budget,
  sends,
  serves,
  queueInStore,
  workerConcurrency,
  lanes,
}: ConnectionNeeds): ConnectionShares {
  const queue = queueInStore
    ? {
        adding: budget < ROOMY_BUDGET ? 1 : ADDING,
        working: sends ? Math.max(1, Math.min(MAX_WORKING, workerConcurrency, Math.floor(budget / WORKING_SHARE))) : 0,
      }
    : null;
  const queueTotal = queue ? lanes * (queue.adding + queue.working + (queue.working > 0 ? 1 : 0)) : 0;
  const shares = { general: 0, byKey: 0, runners: 0, callbacks: 0, webhooks: 0 };
  const pools = SHARES.filter((share) => sends || !share.onlySending);
  const weights = pools.reduce((sum, { weight }) => sum + weight, 0);
  const live = serves ? 1 : 0;
  let remaining = budget - queueTotal - live;
  const spare = remaining - pools.reduce((sum, { min }) => sum + min, 0);
  for (const { name, weight, min } of pools) {
    shares[name] = min + Math.floor((spare * weight) / weights);
    remaining -= shares[name];
  }
  // The rest of the division.
  shares.general += remaining;
  return { ...shares, live, queue };
}
