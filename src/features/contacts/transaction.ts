import type pg from 'pg';
import { retryTransaction } from '../../platform/store/repeat.js';
import { holdConnection } from '../../platform/store/transaction.js';

/*
 * Changes of contacts lock in this order, to avoid deadlocks: runs of automations, contacts, groups, members,
 * conversations, messages, and last the channel, whose count all of them change.
 */

/** Repeats the work after a deadlock, on the same connection. */
export async function runTransactionOn<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  return await retryTransaction(async () => {
    await client.query('BEGIN');
    try {
      const result = await holdConnection(client, work);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // If this fails too, the connection is lost, and the transaction with it.
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}
