import type pg from 'pg';
import { expect, it } from 'vitest';
import { AccountLocked, LockedAccounts } from '../../src/accounts/locked-accounts.js';

const ACCOUNT = '01900000-0000-7000-8000-000000000000';

it('giving up also rejects work that is being attempted and work that arrives later', async () => {
  const lockedAccounts = new LockedAccounts({} as pg.Pool, 1_000);
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    // Simulates a process that stops while its transaction waits for the row lock.
    if (attempts === 1) await Promise.resolve().then(() => lockedAccounts.giveUp());
    throw new AccountLocked();
  };
  const waiting = lockedAccounts.runInTurn(ACCOUNT, attempt, Number.POSITIVE_INFINITY);
  await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(lockedAccounts.runInTurn(ACCOUNT, attempt, Number.POSITIVE_INFINITY)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(attempts).toBe(2);
});
