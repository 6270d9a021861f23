import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import { worthRepeating } from '../../platform/store/failures.js';
import { inTransaction, type Statement } from '../../platform/store/pool.js';
import type { Deps } from '../../process/deps.js';
import { cancelQueued } from './cancel-store.js';

const LOCK_ACCOUNT: Statement = {
  name: 'cancel-lock-account',
  text: 'SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
};

const CANCEL: Statement = { name: 'cancel-message', text: cancelQueued(`id = $1 AND surface = 'a'`) };

const MOST_TRIES = 5;

/**
 * Ends a message of Surface A that waits, and refunds it.
 * @returns whether it did; false when the account has no such message, or when it is no longer `queued`
 */
export async function cancelMessage(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  message: { id: string; accountId: string },
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(pool, (client) => cancel(client, message, clock.now()));
    } catch (error) {
      if (tries === MOST_TRIES || !worthRepeating(error)) throw error;
    }
  }
}

async function cancel(
  client: pg.PoolClient,
  { id, accountId }: { id: string; accountId: string },
  now: Date,
): Promise<boolean> {
  await client.query({ ...LOCK_ACCOUNT, values: [accountId] });
  const values = [id, accountId, now.toISOString(), newId(), 'The sender canceled the message.'];
  const { rowCount } = await client.query({ ...CANCEL, values });
  return rowCount === 1;
}
