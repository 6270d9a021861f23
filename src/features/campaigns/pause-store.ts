import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import type { CampaignRef } from './cancel-store.js';

const PAUSE: Statement = {
  name: 'campaigns-pause',
  text: `UPDATE campaigns SET paused_at = $4, next_look = NULL
         WHERE id = $1 AND account_id = $2 AND channel_id = $3 AND status IN ('scheduled', 'running')
           AND paused_at IS NULL`,
};

/**
 * Waits for a batch that is being committed. Returns false if the campaign is unknown, has ended, or was already
 * paused.
 */
export async function markPaused(pool: Connection, campaign: CampaignRef, now: Date): Promise<boolean> {
  const { id, accountId, channelId } = campaign;
  const { rowCount } = await pool.query({ ...PAUSE, values: [id, accountId, channelId, now.toISOString()] });
  return rowCount === 1;
}

const PAUSE_AT_LIMIT: Statement = {
  name: 'campaigns-pause-at-limit',
  text: `UPDATE campaigns SET paused_at = $2, error_message = $3, next_look = NULL
         WHERE id = $1 AND status = 'running' AND paused_at IS NULL`,
};

export async function pauseAtLimit(pool: Connection, campaignId: string, reason: string, now: Date): Promise<void> {
  await pool.query({ ...PAUSE_AT_LIMIT, values: [campaignId, now.toISOString(), reason] });
}

const RESUME: Statement = {
  name: 'campaigns-resume',
  text: `UPDATE campaigns SET paused_at = NULL, error_message = NULL, next_look = now()
         WHERE id = $1 AND account_id = $2 AND channel_id = $3 AND status IN ('scheduled', 'running')
           AND paused_at IS NOT NULL`,
};

export async function markResumed(pool: Connection, campaign: CampaignRef): Promise<boolean> {
  const { rowCount } = await pool.query({ ...RESUME, values: [campaign.id, campaign.accountId, campaign.channelId] });
  return rowCount === 1;
}
