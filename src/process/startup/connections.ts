import type { LaneConnections } from '../../messages/queue/backend.js';

export interface ConnectionShares {
  general: number;
  /** For status updates, claims and other statements that find rows by key only. */
  byKey: number;
  /**
   * For campaigns, automations and fallbacks, which have their own connections so that they never delay requests or receipts.
   */
  runners: number;
  /** One connection claims and deletes callbacks, and the other connections store messages. */
  callbacks: number;
  webhooks: number;
  /** For LISTEN, which console pages need to show changes. */
  live: number;
  queue: LaneConnections | null;
}

export interface ConnectionNeeds {
  /** DATABASE_POOL_SIZE. */
  budget: number;
  sends: boolean;
  serves: boolean;
  queueInStore: boolean;
  workerConcurrency: number;
  lanes: number;
}

const SHARES = [
  { name: 'general', weight: 10, min: 2, onlySending: false },
  { name: 'byKey', weight: 5, min: 2, onlySending: false },
  { name: 'runners', weight: 4, min: 1, onlySending: true },
  { name: 'callbacks', weight: 4, min: 1, onlySending: true },
  { name: 'webhooks', weight: 2, min: 1, onlySending: true },
] as const;

/** With more connections per lane, workers would only wait for each other's row locks. */
const MAX_WORKING_CONNECTIONS = 4;
const WORKING_SHARE = 10;
const ADDING_CONNECTIONS = 2;
const ROOMY_BUDGET = 30;

/** The minimum of DATABASE_POOL_SIZE, 15, is enough for the pools of every role. */
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
        adding: budget < ROOMY_BUDGET ? 1 : ADDING_CONNECTIONS,
        working: sends
          ? Math.max(1, Math.min(MAX_WORKING_CONNECTIONS, workerConcurrency, Math.floor(budget / WORKING_SHARE)))
          : 0,
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
  shares.general += remaining;
  return { ...shares, live, queue };
}
