import pg from 'pg';
import { inTransaction } from '../../platform/store/pool.js';
import { repeated } from '../../platform/store/repeat.js';

/**
 * Runs work within the caller's transaction or, given a pool, in one of its own, which is repeated after a deadlock.
 *
 * Whatever changes contacts locks in this order, so that two seldom wait for each other: runs of automations, contacts,
 * groups, members, conversations, messages, and last the channel with its count, which all of them share.
 */
export async function within<T>(
  connection: pg.Pool | pg.PoolClient,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  if (!(connection instanceof pg.Pool)) return await work(connection);
  return await repeated(() => inTransaction(connection, work));
}

/** Runs work in a transaction of its own on a connection that the caller keeps; it is repeated after a deadlock. */
export async function transactionOn<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  return await repeated(async () => {
    await client.query('BEGIN');
    try {
      const result = await work();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // Where this fails as well, the connection is lost, and with it the transaction.
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}
