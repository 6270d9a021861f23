import type { LaneConnections } from '../../messages/queue/backend.js';

/** PostgreSQL connections of one process, by what they are for. */
export interface ConnectionShares {
  /** Accepting, and every ordinary query. */
  general: number;
  /** Statuses, claims and whatever else reaches rows by key only. */
  byKey: number;
  /** Campaigns, automations and fallbacks, so that neither requests nor receipts wait for a connection of theirs. */
  runners: number;
  /** Working off the callbacks of carriers: one that claims and deletes, and those that store messages. */
  callbacks: number;
  /** The deliverer of webhooks: one that reads the outbox, one that writes what came of it. */
  webhooks: number;
  /** Hears what pages of the console are to be told; none in a process that serves no pages. */
  live: number;
  /** Of each lane of the queue, where it lies in PostgreSQL; null where it lies in Redis. */
  queue: LaneConnections | null;
}

export interface ConnectionNeeds {
  /** DATABASE_POOL_SIZE. */
  budget: number;
  /** Whether the process sends, or only serves the API. */
  works: boolean;
  /** Whether it serves the console. */
  serves: boolean;
  queueInStore: boolean;
  /** Jobs at once in each lane. */
  workerConcurrency: number;
  lanes: number;
}

/** How what the queue leaves is shared out, and the least that each must have. In this order a remainder is given away. */
const SHARES = [
  { name: 'general', weight: 10, least: 2, works: false },
  { name: 'byKey', weight: 5, least: 2, works: false },
  { name: 'runners', weight: 4, least: 1, works: true },
  { name: 'callbacks', weight: 4, least: 1, works: true },
  { name: 'webhooks', weight: 2, least: 1, works: true },
] as const;

/** More connections than this per lane would only wait for each other's row locks. */
const MAX_WORKING = 4;
/** Of so many connections in all, a tenth is for each lane's worker. */
const WORKING_SHARE = 10;
const ADDING = 2;
/** From this budget on each lane adds jobs over two connections. */
const ROOMY_BUDGET = 30;

/**
 * Shares the connections of a process out to its pools, so that together they hold no more than the budget. A budget of
 * 15, the least that the setting allows, is enough for every role.
 */
export function shareConnections({
  budget,
  works,
  serves,
  queueInStore,
  workerConcurrency,
  lanes,
}: ConnectionNeeds): ConnectionShares {
  const queue = queueInStore
    ? {
        adding: budget < ROOMY_BUDGET ? 1 : ADDING,
        working: works ? Math.max(1, Math.min(MAX_WORKING, workerConcurrency, Math.floor(budget / WORKING_SHARE))) : 0,
      }
    : null;
  const ofQueue = queue ? lanes * (queue.adding + queue.working + (queue.working > 0 ? 1 : 0)) : 0;
  const shares = { general: 0, byKey: 0, runners: 0, callbacks: 0, webhooks: 0 };
  const wanted = SHARES.filter((share) => works || !share.works);
  const weights = wanted.reduce((sum, { weight }) => sum + weight, 0);
  const live = serves ? 1 : 0;
  let left = budget - ofQueue - live;
  const spare = left - wanted.reduce((sum, { least }) => sum + least, 0);
  for (const { name, weight, least } of wanted) {
    shares[name] = least + Math.floor((spare * weight) / weights);
    left -= shares[name];
  }
  shares.general += left;
  return { ...shares, live, queue };
}
