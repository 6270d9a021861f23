import type pg from 'pg';
import { type AccountStore, inAccountTransaction } from '../../accounts/account-transaction.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { type CampaignRef, cancelCampaignMessages, findStatus, setCanceled } from './cancel-store.js';
import { deleteMemberVariables } from './values-store.js';

/**
 * Ends a campaign that is scheduled, running or paused. Messages that no worker holds become `canceled` and are refunded, and
 * so do the others unless their carrier takes them; those that are with a carrier already go on.
 * @throws {AppError} CONFLICT when it has ended already; NOT_FOUND when the channel has no such campaign; also as
 *   `inAccountTransaction`
 */
export async function cancelCampaign(options: AccountStore & { clock: Clock }, campaign: CampaignRef): Promise<void> {
  // A runner that commits a batch locks the account too. So either its batch is seen here, or it sees that the campaign is canceled.
  await inAccountTransaction(options, campaign.accountId, (client) => cancel(client, campaign, options.clock.now()));
}

async function cancel(client: pg.PoolClient, campaign: CampaignRef, now: Date): Promise<void> {
  if (!(await setCanceled(client, campaign))) {
    const status = await findStatus(client, campaign);
    if (status === null) throw new AppError('NOT_FOUND', 'There is no campaign with this id.');
    throw new AppError('CONFLICT', `The campaign is ${status} already.`);
  }
  await cancelCampaignMessages(client, campaign, now);
  await deleteMemberVariables(client, campaign.id);
}
