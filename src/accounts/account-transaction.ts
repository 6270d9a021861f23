import type pg from 'pg';
import { inTransaction, isPool } from '../platform/store/connections/pool.js';
import { isRetryable } from '../platform/store/failures.js';
import { retryTransaction } from '../platform/store/repeat.js';
import type { Connection } from '../platform/store/with-transaction.js';
import { lockAccounts } from './ledger-store.js';
import { isLockTimeout, type LockedAccounts } from './locked-accounts.js';

export interface AccountStore {
  /** If this is a client rather than a pool, the work joins its transaction. */
  pool: Connection;
  lockedAccounts: Pick<LockedAccounts, 'run'>;
}

/**
 * Waits for a locked account without occupying a connection.
 * @param work runs again after a deadlock
 * @throws {AppError} UNAVAILABLE if the account stays locked
 * @throws {AccountLocked} in the caller's transaction, which must be repeated (see `makeChange`)
 */
export async function inAccountTransaction<T>(
  { pool, lockedAccounts }: AccountStore,
  accountId: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  if (!isPool(pool)) {
    await lockAccounts(pool, [accountId]);
    return await work(pool);
  }
  const attempt = (lockMs: number) =>
    inTransaction(pool, async (client) => {
      await lockAccounts(client, [accountId], lockMs);
      return await work(client);
    });
  return await lockedAccounts.run(accountId, (lockMs) =>
    retryTransaction(
      () => attempt(lockMs),
      (error) => isRetryable(error) && !isLockTimeout(error),
    ),
  );
}
