import type pg from 'pg';
import { lockAccount } from '../../accounts/ledger-store.js';
import { cancelQueued } from '../../messages/status/cancel-store.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { newId } from '../../platform/ids.js';
import { inTransaction, type Statement } from '../../platform/store/pool.js';
import { repeated } from '../../platform/store/repeat.js';

const CANCEL: Statement = {
  name: 'campaigns-cancel',
  text: `UPDATE campaigns SET status = 'canceled', next_look = NULL
         WHERE id = $1 AND account_id = $2 AND channel_id = $3 AND status IN ('scheduled', 'running')`,
};

const FIND_STATUS: Statement = {
  name: 'campaigns-find-status',
  text: 'SELECT status FROM campaigns WHERE id = $1 AND account_id = $2 AND channel_id = $3',
};

const CANCEL_MESSAGES: Statement = { name: 'campaigns-cancel-messages', text: cancelQueued('campaign_id = $1') };

/** A campaign of a channel. */
export interface CampaignRef {
  id: string;
  accountId: string;
  channelId: string;
}

/**
 * Ends a campaign that is scheduled or running. Messages that no worker has claimed become `canceled` and are refunded;
 * those that are with a carrier already go on.
 * @throws {AppError} CONFLICT when it has ended already; NOT_FOUND when the channel has no such campaign
 */
export async function cancelCampaign(
  { pool, clock }: { pool: pg.Pool; clock: Clock },
  campaign: CampaignRef,
): Promise<void> {
  await repeated(() => inTransaction(pool, (client) => cancel(client, campaign, clock.now())));
}

async function cancel(client: pg.PoolClient, { id, accountId, channelId }: CampaignRef, now: Date): Promise<void> {
  // A runner that commits a batch holds it, so that either its batch is seen here or it sees the campaign canceled.
  await lockAccount(client, accountId);
  const { rowCount } = await client.query({ ...CANCEL, values: [id, accountId, channelId] });
  if (rowCount === 0) {
    const { rows } = await client.query<{ status: string }>({ ...FIND_STATUS, values: [id, accountId, channelId] });
    if (!rows[0]) throw new AppError('NOT_FOUND', 'There is no campaign with this id.');
    throw new AppError('CONFLICT', `The campaign is ${rows[0].status} already.`);
  }
  await client.query({
    ...CANCEL_MESSAGES,
    values: [id, accountId, now.toISOString(), newId(), 'The campaign was canceled.'],
  });
}
