import type pg from 'pg';
import { type AccountStore, inAccountTransaction } from '../../accounts/account-transaction.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, notFound } from '../../platform/errors/app-error.js';
import { type CampaignRef, cancelCampaignMessages, findStatus, markCanceled } from './cancel-store.js';
import { deleteMemberVariables } from './message/variables-store.js';

/**
 * @throws {AppError} NOT_FOUND for an unknown campaign, CONFLICT for one that has ended, or any error of
 * `inAccountTransaction`
 */
export async function cancelCampaign(options: AccountStore & { clock: Clock }, campaign: CampaignRef): Promise<void> {
  // Runners also lock the account to commit a batch, so either the cancellation sees the batch or the runner sees the
  // cancellation.
  await inAccountTransaction(options, campaign.accountId, (client) =>
    cancelWithMessages(client, campaign, options.clock.now()),
  );
}

async function cancelWithMessages(client: pg.PoolClient, campaign: CampaignRef, now: Date): Promise<void> {
  if (!(await markCanceled(client, campaign))) {
    const status = await findStatus(client, campaign);
    if (status === null) throw notFound('campaign');
    throw new AppError('CONFLICT', `The campaign is ${status} already.`);
  }
  await cancelCampaignMessages(client, campaign, now);
  await deleteMemberVariables(client, campaign.id);
}
