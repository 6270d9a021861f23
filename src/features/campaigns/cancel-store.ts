import type pg from 'pg';
import { cancelQueuedSql, requestCancellationSql, runCancellation } from '../../messages/cancel/cancel-store.js';
import { LONG_TIMEOUT_MS, type Statement } from '../../platform/store/connections/pool.js';

export interface CampaignRef {
  id: string;
  accountId: string;
  channelId: string;
}

const CANCEL: Statement = {
  name: 'campaigns-cancel',
  text: `UPDATE campaigns SET status = 'canceled', next_look = NULL, paused_at = NULL,
           member_count = coalesce(member_count, (SELECT contact_count FROM contact_groups g WHERE g.id = group_id))
         WHERE id = $1 AND account_id = $2 AND channel_id = $3 AND status IN ('scheduled', 'running')`,
};

export async function markCanceled(client: pg.PoolClient, campaign: CampaignRef): Promise<boolean> {
  const { rowCount } = await client.query({
    ...CANCEL,
    values: [campaign.id, campaign.accountId, campaign.channelId],
  });
  return rowCount !== 0;
}

const FIND_STATUS: Statement = {
  name: 'campaigns-find-status',
  text: 'SELECT status FROM campaigns WHERE id = $1 AND account_id = $2 AND channel_id = $3',
};

export async function findStatus(client: pg.PoolClient, campaign: CampaignRef): Promise<string | null> {
  const { rows } = await client.query<{ status: string }>({
    ...FIND_STATUS,
    values: [campaign.id, campaign.accountId, campaign.channelId],
  });
  return rows[0]?.status ?? null;
}

const CANCEL_MESSAGES: Statement = {
  name: 'campaigns-cancel-messages',
  text: cancelQueuedSql('campaign_id = $1'),
  patienceMs: LONG_TIMEOUT_MS,
};
const CANCEL_CLAIMED: Statement = {
  name: 'campaigns-cancel-held',
  text: requestCancellationSql('campaign_id = $1'),
  patienceMs: LONG_TIMEOUT_MS,
};
const REASON = 'The campaign was canceled.';

/** Claimed messages are canceled only if their current attempt fails. The caller must hold the account lock. */
export async function cancelCampaignMessages(
  client: pg.PoolClient,
  campaign: Omit<CampaignRef, 'channelId'>,
  now: Date,
): Promise<void> {
  await runCancellation(client, CANCEL_MESSAGES, campaign, now, REASON);
  await client.query({ ...CANCEL_CLAIMED, values: [campaign.id, campaign.accountId, REASON] });
}
