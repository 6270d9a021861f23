import type pg from 'pg';
import { inTransaction, isPool } from '../platform/store/connections/pool.js';
import { isRetryable } from '../platform/store/failures.js';
import { retryTransaction } from '../platform/store/repeat.js';
import type { Connection } from '../platform/store/with-transaction.js';
import { lockAccounts } from './ledger-store.js';
import { isLockTimeout, type LockedAccounts } from './locked-accounts.js';

export interface AccountStore {
  /** If the caller passes a client instead of a pool, the work joins the client's transaction. */
  pool: Connection;
  lockedAccounts: Pick<LockedAccounts, 'run'>;
}

/**
 * Locks an account and runs `work`, which is repeated after a deadlock. A caller that passes a client must repeat the client's
 * transaction after an `AccountLocked` error, as `makeChange` does.
 * @throws {AppError} UNAVAILABLE
 * @throws {AccountLocked}
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
