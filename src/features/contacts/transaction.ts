import type pg from 'pg';
import { retryTransaction } from '../../platform/store/repeat.js';
import { holdConnection } from '../../platform/store/transaction.js';

/*
 * All changes to contacts lock rows in this order, to avoid deadlocks: automation runs, contacts, groups, members,
 * conversations, messages and, last, the channel.
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
      // If the rollback also fails, the connection is lost, and PostgreSQL ends the transaction.
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}
