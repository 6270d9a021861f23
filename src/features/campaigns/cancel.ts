import type pg from 'pg';
import { lockAccount } from '../../accounts/ledger-store.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { type Connection, within } from '../../platform/store/within.js';
import { type CampaignRef, cancelCampaignMessages, findStatus, setCanceled } from './cancel-store.js';
import { deleteMemberVariables } from './values-store.js';

/**
 * Ends a campaign that is scheduled, running or paused. Messages that no worker holds become `canceled` and are refunded, and
 * so do the others unless their carrier takes them; those that are with a carrier already go on.
 * @throws {AppError} CONFLICT when it has ended already; NOT_FOUND when the channel has no such campaign
 */
export async function cancelCampaign(
  { pool, clock }: { pool: Connection; clock: Clock },
  campaign: CampaignRef,
): Promise<void> {
  await within(pool, (client) => cancel(client, campaign, clock.now()));
}

async function cancel(client: pg.PoolClient, campaign: CampaignRef, now: Date): Promise<void> {
  // A runner that commits a batch holds it, so that either its batch is seen here or it sees the campaign canceled.
  await lockAccount(client, campaign.accountId);
  if (!(await setCanceled(client, campaign))) {
    const status = await findStatus(client, campaign);
    if (status === null) throw new AppError('NOT_FOUND', 'There is no campaign with this id.');
    throw new AppError('CONFLICT', `The campaign is ${status} already.`);
  }
  await cancelCampaignMessages(client, campaign, now);
  await deleteMemberVariables(client, campaign.id);
}
