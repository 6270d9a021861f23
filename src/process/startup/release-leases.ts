import type pg from 'pg';
import type { Logger } from 'pino';
import { releaseCallbacks } from '../../carriers/callbacks/callback-store.js';
import { releaseRuns } from '../../features/automations/run-store.js';
import { releaseCampaigns } from '../../features/campaigns/campaign-store.js';
import { readEndOfForeignLeases } from '../../features/webhooks/delivery/delivery-store.js';
import { releaseMessages } from '../../messages/queue/relay/relay-store.js';

export interface ReleasedLeases {
  /** Leases of webhook deliveries that expire at or before this time are void. */
  webhooksVoidUntil: Date;
}

const RELEASES = [releaseMessages, releaseCampaigns, releaseRuns, releaseCallbacks];

/** Call this function before another process uses the embedded store, because the leases of running processes are ended too. */
export async function releaseLeases(pool: pg.Pool, log: Logger): Promise<ReleasedLeases> {
  for (const release of RELEASES) {
    await release(pool).catch((error: unknown) => {
      log.warn(
        { err: error },
        'leases of the previous process could not be released; its work continues when they expire',
      );
    });
  }
  return { webhooksVoidUntil: await readEndOfForeignLeases(pool) };
}
