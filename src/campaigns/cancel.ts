import type pg from 'pg';
import { repeated } from '../database/failures.js';
import { inTransaction, type Statement } from '../database/pool.js';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import { newId } from '../ids.js';
import { insertStatusEvents } from '../webhooks/status-events.js';

/** A runner that commits a batch holds it, so that either its batch is seen here or it sees the campaign canceled. */
const LOCK_ACCOUNT: Statement = {
  name: 'campaigns-lock-account',
  text: 'SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
};

const CANCEL: Statement = {
  name: 'campaigns-cancel',
  text: `UPDATE campaigns SET status = 'canceled', next_look = NULL
         WHERE id = $1 AND account_id = $2 AND channel_id = $3 AND status IN ('scheduled', 'running')`,
};

/** What no worker has claimed was never sent, and never will be: it is refunded in the same statement. */
const CANCEL_MESSAGES: Statement = {
  name: 'campaigns-cancel-messages',
  text: `
WITH waiting AS MATERIALIZED (
  SELECT id FROM messages WHERE campaign_id = $1 AND account_id = $2 AND status = 'queued' ORDER BY id FOR UPDATE
), canceled AS (
  UPDATE messages m SET status = 'canceled', ended_at = $3, next_look = NULL, refunded = true,
    error_code = 'CANCELED', error_message = 'The campaign was canceled.'
  FROM waiting WHERE m.id = waiting.id
  RETURNING m.*
), events AS (${insertStatusEvents('canceled')}), refund AS (
  SELECT sum(price_micros)::bigint AS total, count(*)::int AS message_count FROM canceled HAVING count(*) > 0
), credited AS (
  UPDATE accounts SET balance_micros = balance_micros + refund.total, balance_changed_at = $3
  FROM refund WHERE accounts.id = $2
  RETURNING accounts.balance_micros, refund.total, refund.message_count
)
INSERT INTO ledger_entries (id, account_id, kind, amount_micros, balance_after_micros, message_count, created_at)
SELECT $4, $2, 'refund', total, balance_micros, message_count, $3 FROM credited`,
};

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
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  campaign: CampaignRef,
): Promise<void> {
  await repeated(() => inTransaction(pool, (client) => cancel(client, campaign, clock.now())));
}

async function cancel(client: pg.PoolClient, { id, accountId, channelId }: CampaignRef, now: Date): Promise<void> {
  await client.query({ ...LOCK_ACCOUNT, values: [accountId] });
  const { rowCount } = await client.query({ ...CANCEL, values: [id, accountId, channelId] });
  if (rowCount === 0) {
    const { rows } = await client.query<{ status: string }>(
      'SELECT status FROM campaigns WHERE id = $1 AND account_id = $2 AND channel_id = $3',
      [id, accountId, channelId],
    );
    if (!rows[0]) throw new AppError('NOT_FOUND', 'There is no campaign with this id.');
    throw new AppError('CONFLICT', `The campaign is ${rows[0].status} already.`);
  }
  await client.query({ ...CANCEL_MESSAGES, values: [id, accountId, now.toISOString(), newId()] });
}
