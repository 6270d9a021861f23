import type pg from 'pg';
import { repeated } from '../../platform/store/repeat.js';
import { holdConnection } from '../../platform/store/transaction.js';

/*
 * Whatever changes contacts locks in this order, so that two seldom wait for each other: runs of automations, contacts,
 * groups, members, conversations, messages, and last the channel with its count, which all of them share.
 */

/** Runs work in a transaction of its own on a connection that the caller keeps; it is repeated after a deadlock. */
export async function transactionOn<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  return await repeated(async () => {
    await client.query('BEGIN');
    try {
      const result = await holdConnection(client, work);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // Where this fails as well, the connection is lost, and with it the transaction.
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}
