import type pg from 'pg';
import { releaseCallbacks } from '../../carriers/callbacks/callback-store.js';
import { releaseRuns } from '../../features/automations/run-store.js';
import { releaseCampaigns } from '../../features/campaigns/campaign-store.js';
import { endOfForeignLeases } from '../../features/webhooks/delivery/delivery-store.js';
import { releaseMessages } from '../../messages/queue/relay/relay-store.js';

/** What cannot be released at once, and what its owner is told instead. */
export interface ReleasedLeases {
  /** Leases of webhook deliveries that end by then are void. */
  webhooksVoidUntil: Date;
}

/**
 * Ends what dead processes hold, so that their leases need not be waited for. Only for a process that holds the embedded
 * store alone, and before anything works on it: the leases of a process that lives would end as well.
 */
export async function releaseLeases(pool: pg.Pool): Promise<ReleasedLeases> {
  await releaseMessages(pool);
  await releaseCampaigns(pool);
  await releaseRuns(pool);
  await releaseCallbacks(pool);
  return { webhooksVoidUntil: await endOfForeignLeases(pool) };
}
