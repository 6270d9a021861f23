import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AccountLocked } from '../../../src/accounts/held-accounts.js';
import { lockAccounts } from '../../../src/accounts/ledger-store.js';
import { emitLowBalances } from '../../../src/features/low-balance/watch-store.js';
import { type MeasuredPool, openPool } from '../../../src/platform/store/connections/pool.js';
import { balanceOf, createTestAccount, type TestAccount } from '../../support/accounts.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { accept, statusCounts, type TestSend } from '../../support/sends.js';
import { statementsBlockedBy } from '../../support/store/blocked.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const faults = new ControlledFaults();
const test = suiteApp({ role: 'api', faults, settings: { DATABASE_TIMEOUT_MS: '5000' } });
/** Another session, with connections of its own. */
let others: MeasuredPool;
let holder: pg.PoolClient;
let held: TestAccount;
let free: TestAccount;
const START = 100_000_000n;
const RICH = 10n * START;
const PART = 10_000n;
const MANY = Array.from({ length: 501 }, (_, index) => `1500556${String(index).padStart(4, '0')}`);

beforeEach(async () => {
  others = openPool({ url: test.databaseUrl, size: 2, log: pino({ level: 'silent' }) });
  held = await createTestAccount(test.deps);
  free = await createTestAccount(test.deps, { creditMicros: RICH });
  holder = await others.connect();
  await holder.query('BEGIN');
  await lockAccounts(holder, [held.id]);
});
afterEach(async () => {
  holder.release(true);
  await others.end();
});

const blocked = () => statementsBlockedBy(others, holder);
const send = (account: TestAccount, what?: TestSend) => accept(test.deps, account, what);

/** A request for each way into a commit: plain, with a key, and large. */
function waysToSend(account: TestAccount, key: string): (() => Promise<string[]>)[] {
  return [() => send(account), () => send(account, { key }), () => send(account, { to: MANY })];
}

describe('while another session holds the row of one account', () => {
  it('accepts every send of other accounts, and has the sends of that account wait on one connection', async () => {
    const waiting = waysToSend(held, 'held').map((ask) =>
      ask().then(
        () => 'accepted',
        (error: { code?: string }) => error.code,
      ),
    );
    for (let round = 0; round < 20; round += 1) {
      const asked = waysToSend(free, `free ${round}`).map((ask) => ask());
      // In batches with requests of the held account, too.
      waiting.push(
        send(held).then(
          () => 'accepted',
          (error: { code?: string }) => error.code,
        ),
      );
      expect(await Promise.all(asked)).toHaveLength(3);
    }
    await waitFor('one connection to wait', async () => (await blocked()).length === 1);
    expect(await balanceOf(test.deps, free.id)).toBe(RICH - 20n * BigInt(MANY.length + 2) * PART);
    // Every request has had its 503 by then.
    expect([...new Set(await Promise.all(waiting))]).toEqual(['UNAVAILABLE']);
    expect(await test.deps.prisma.message.count({ where: { accountId: held.id } })).toBe(0);
    expect(await balanceOf(test.deps, held.id)).toBe(START);
  });

  it('accepts what waits once the row is free, once', async () => {
    const waiting = waysToSend(held, 'key').map((ask) => ask());
    await waitFor('the account to be found held', () => test.deps.held.isHeld(held.id));
    await holder.query('COMMIT');
    await Promise.all(waiting);
    expect(await balanceOf(test.deps, held.id)).toBe(START - BigInt(MANY.length + 2) * PART);
    expect(await test.deps.prisma.message.count({ where: { accountId: held.id } })).toBe(MANY.length + 2);
    await waitFor('the account to be shared again', async () => {
      await send(held);
      return !test.deps.held.isHeld(held.id);
    });
  });

  it('finds out about a commit whose answer was lost before the row was locked, without the requests of other accounts waiting for it', async () => {
    await holder.query('COMMIT');
    faults.on('accept:answer', async () => {
      faults.clear('accept:answer');
      await holder.query('BEGIN');
      await lockAccounts(holder, [held.id]);
      throw new Error('the connection broke');
    });
    const waiting = [send(held), send(held, { to: MANY })];
    await send(free);
    await waitFor('the account to be found held', () => test.deps.held.isHeld(held.id));
    await send(free);
    await holder.query('COMMIT');
    await Promise.all(waiting);
    expect(await balanceOf(test.deps, held.id)).toBe(START - BigInt(MANY.length + 1) * PART);
    expect(await balanceOf(test.deps, free.id)).toBe(RICH - 2n * PART);
    expect(await test.deps.prisma.message.count({ where: { accountId: held.id } })).toBe(MANY.length + 1);
  });

  it('fails background transactions at once, and has requests in transactions wait', async () => {
    const plan = { payers: () => [held.id] };
    const { acceptor, pool } = test.deps;
    await expect(acceptor.within(pool, { ...plan, isBackground: true }, async () => 'done')).rejects.toThrow(
      AccountLocked,
    );
    const waiting = acceptor.within(pool, plan, async () => 'done');
    await waitFor('one connection to wait', async () => (await blocked()).length === 1);
    await expect(acceptor.within(pool, { payers: () => [free.id] }, async () => 'done')).resolves.toBe('done');
    await holder.query('COMMIT');
    await expect(waiting).resolves.toBe('done');
  });

  it('lets background transactions of the account go on once the row is free, without a request of that account', async () => {
    const { acceptor, pool } = test.deps;
    const plan = { payers: () => [held.id], isBackground: true };
    const attempt = () => acceptor.within(pool, plan, async () => 'done');
    await expect(attempt()).rejects.toThrow(AccountLocked);
    await holder.query('COMMIT');
    await expect(attempt()).resolves.toBe('done');
  });

  it('reports the low balances of other accounts', async () => {
    const ids = [held.id, free.id];
    const { prisma, pool } = test.deps;
    const told = () => prisma.account.count({ where: { id: { in: ids }, lowBalanceTold: true } });
    await holder.query('UPDATE accounts SET low_balance_micros = $2 WHERE id = $1', [held.id, `${2n * START}`]);
    await prisma.account.update({ where: { id: free.id }, data: { lowBalanceMicros: 2n * RICH } });
    await emitLowBalances(pool);
    expect(await told()).toBe(1);
    await holder.query('COMMIT');
    await emitLowBalances(pool);
    expect(await told()).toBe(2);
  });

  it('sends and ends the messages of other accounts, and refunds its own once the row is free', async () => {
    await holder.query('COMMIT');
    const REFUSED = '15005550001';
    const count = 40;
    for (const account of [held, free]) {
      await Promise.all(Array.from({ length: count }, () => send(account, { to: REFUSED })));
    }
    await holder.query('BEGIN');
    await lockAccounts(holder, [held.id]);
    const worker = await testApp({ role: 'worker', beside: test });
    onTestFinished(() => worker.close());
    const failed = async (account: TestAccount) => (await statusCounts(test.deps, account.id)).failed ?? 0;
    await waitFor('the messages of the other account to end', async () => (await failed(free)) === count);
    expect(await balanceOf(test.deps, free.id)).toBe(RICH);
    // More than the worker takes at a time goes on beside what waits.
    await Promise.all(Array.from({ length: 3 * count }, () => send(free)));
    await waitFor(
      'later messages to be delivered',
      async () => ((await statusCounts(test.deps, free.id)).delivered ?? 0) === 3 * count,
    );
    expect(await failed(held)).toBe(0);
    await waitFor('one connection to wait', async () => (await blocked()).length === 1);
    await holder.query('COMMIT');
    await waitFor('the messages of the held account to end', async () => (await failed(held)) === count);
    expect(await balanceOf(test.deps, held.id)).toBe(START);
    const attempts = await test.deps.prisma.message.groupBy({ by: ['attempts'], where: { accountId: held.id } });
    expect(attempts.map((each) => each.attempts)).toEqual([1]);
  });
});
