import type pg from 'pg';
import type { Logger } from 'pino';
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

const RELEASES = [releaseMessages, releaseCampaigns, releaseRuns, releaseCallbacks];

/**
 * Ends what dead processes hold, so that their leases need not be waited for. Only for a process that holds the embedded
 * store alone, and before anything works on it: the leases of a process that lives would end as well. What cannot be released
 * is found once its lease runs out, so that is no reason not to start.
 */
export async function releaseLeases(pool: pg.Pool, log: Logger): Promise<ReleasedLeases> {
  for (const release of RELEASES) {
    await release(pool).catch((error: unknown) => {
      log.warn({ err: error }, 'leases of the process before could not be ended, and are waited for');
    });
  }
  return { webhooksVoidUntil: await endOfForeignLeases(pool) };
}
