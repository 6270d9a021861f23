import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lockAccounts } from '../../../src/accounts/ledger-store.js';
import { AccountLocked } from '../../../src/accounts/locked-accounts.js';
import { emitLowBalances } from '../../../src/features/low-balance/watch-store.js';
import { type MeasuredPool, openPool } from '../../../src/platform/store/connections/pool.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { accept, countStatuses, type TestSend } from '../../support/sends.js';
import { listBlockedStatements } from '../../support/store/blocked-statements.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const faults = new ControlledFaults();
const test = suiteApp({ role: 'api', faults, settings: { DATABASE_TIMEOUT_MS: '5000' } });
let otherPool: MeasuredPool;
let holder: pg.PoolClient;
let lockedAccount: TestAccount;
let freeAccount: TestAccount;
const START = 100_000_000n;
const RICH = 10n * START;
const PART = 10_000n;
const MANY = Array.from({ length: 501 }, (_, index) => `1500556${String(index).padStart(4, '0')}`);

beforeEach(async () => {
  otherPool = openPool({ url: test.databaseUrl, size: 2, log: pino({ level: 'silent' }) });
  lockedAccount = await createTestAccount(test.deps);
  freeAccount = await createTestAccount(test.deps, { creditMicros: RICH });
  holder = await otherPool.connect();
  await holder.query('BEGIN');
  await lockAccounts(holder, [lockedAccount.id]);
});
afterEach(async () => {
  holder.release(true);
  await otherPool.end();
});

const listBlocked = () => listBlockedStatements(otherPool, holder);
const send = (account: TestAccount, options?: TestSend) => accept(test.deps, account, options);

function buildRequests(account: TestAccount, key: string): (() => Promise<string[]>)[] {
  return [() => send(account), () => send(account, { key }), () => send(account, { to: MANY })];
}

describe('while another session holds the row lock of one account', () => {
  it('sends of other accounts are accepted, and all sends of the locked account wait on one connection', async () => {
    const waitingSends = buildRequests(lockedAccount, 'held').map((ask) =>
      ask().then(
        () => 'accepted',
        (error: { code?: string }) => error.code,
      ),
    );
    for (let round = 0; round < 20; round += 1) {
      const freeSends = buildRequests(freeAccount, `free ${round}`).map((ask) => ask());
      waitingSends.push(
        send(lockedAccount).then(
          () => 'accepted',
          (error: { code?: string }) => error.code,
        ),
      );
      expect(await Promise.all(freeSends)).toHaveLength(3);
    }
    await waitFor('one connection to wait', async () => (await listBlocked()).length === 1);
    expect(await readBalance(test.deps, freeAccount.id)).toBe(RICH - 20n * BigInt(MANY.length + 2) * PART);
    // Every request to the locked account must have received a 503 by now.
    expect([...new Set(await Promise.all(waitingSends))]).toEqual(['UNAVAILABLE']);
    expect(await test.deps.prisma.message.count({ where: { accountId: lockedAccount.id } })).toBe(0);
    expect(await readBalance(test.deps, lockedAccount.id)).toBe(START);
  });

  it('waiting sends are accepted once when the row is free', async () => {
    const waitingSends = buildRequests(lockedAccount, 'key').map((ask) => ask());
    await waitFor('the account to be found locked', () => test.deps.lockedAccounts.isLocked(lockedAccount.id));
    await holder.query('COMMIT');
    await Promise.all(waitingSends);
    expect(await readBalance(test.deps, lockedAccount.id)).toBe(START - BigInt(MANY.length + 2) * PART);
    expect(await test.deps.prisma.message.count({ where: { accountId: lockedAccount.id } })).toBe(MANY.length + 2);
    await waitFor('the account to be shared again', async () => {
      await send(lockedAccount);
      return !test.deps.lockedAccounts.isLocked(lockedAccount.id);
    });
  });

  it('a commit whose response was lost is resolved without delaying requests of other accounts', async () => {
    await holder.query('COMMIT');
    faults.on('accept:answer', async () => {
      faults.clear('accept:answer');
      await holder.query('BEGIN');
      await lockAccounts(holder, [lockedAccount.id]);
      throw new Error('the connection broke');
    });
    const waitingSends = [send(lockedAccount), send(lockedAccount, { to: MANY })];
    await send(freeAccount);
    await waitFor('the account to be found locked', () => test.deps.lockedAccounts.isLocked(lockedAccount.id));
    await send(freeAccount);
    await holder.query('COMMIT');
    await Promise.all(waitingSends);
    expect(await readBalance(test.deps, lockedAccount.id)).toBe(START - BigInt(MANY.length + 1) * PART);
    expect(await readBalance(test.deps, freeAccount.id)).toBe(RICH - 2n * PART);
    expect(await test.deps.prisma.message.count({ where: { accountId: lockedAccount.id } })).toBe(MANY.length + 1);
  });

  it('background transactions fail at once, and transactions of requests wait', async () => {
    const plan = { listPayers: () => [lockedAccount.id] };
    const { acceptor, pool } = test.deps;
    await expect(acceptor.acceptWithin(pool, { ...plan, isBackground: true }, async () => 'done')).rejects.toThrow(
      AccountLocked,
    );
    const waitingSends = acceptor.acceptWithin(pool, plan, async () => 'done');
    await waitFor('one connection to wait', async () => (await listBlocked()).length === 1);
    await expect(acceptor.acceptWithin(pool, { listPayers: () => [freeAccount.id] }, async () => 'done')).resolves.toBe(
      'done',
    );
    await holder.query('COMMIT');
    await expect(waitingSends).resolves.toBe('done');
  });

  it('background transactions of the account continue once the row is free, without a request of the account', async () => {
    const { acceptor, pool } = test.deps;
    const plan = { listPayers: () => [lockedAccount.id], isBackground: true };
    const accept = () => acceptor.acceptWithin(pool, plan, async () => 'done');
    await expect(accept()).rejects.toThrow(AccountLocked);
    await holder.query('COMMIT');
    await expect(accept()).resolves.toBe('done');
  });

  it('low balances of other accounts are reported', async () => {
    const ids = [lockedAccount.id, freeAccount.id];
    const { prisma, pool } = test.deps;
    const countNotified = () => prisma.account.count({ where: { id: { in: ids }, lowBalanceTold: true } });
    await holder.query('UPDATE accounts SET low_balance_micros = $2 WHERE id = $1', [
      lockedAccount.id,
      `${2n * START}`,
    ]);
    await prisma.account.update({ where: { id: freeAccount.id }, data: { lowBalanceMicros: 2n * RICH } });
    await emitLowBalances(pool);
    expect(await countNotified()).toBe(1);
    await holder.query('COMMIT');
    await emitLowBalances(pool);
    expect(await countNotified()).toBe(2);
  });

  it("messages of other accounts are sent and ended, and the account's own are refunded once the row is free", async () => {
    await holder.query('COMMIT');
    const REFUSED = '15005550001';
    const count = 40;
    for (const account of [lockedAccount, freeAccount]) {
      await Promise.all(Array.from({ length: count }, () => send(account, { to: REFUSED })));
    }
    await holder.query('BEGIN');
    await lockAccounts(holder, [lockedAccount.id]);
    const worker = await testApp({ role: 'worker', sharesWith: test });
    onTestFinished(() => worker.close());
    const countFailed = async (account: TestAccount) => (await countStatuses(test.deps, account.id)).failed ?? 0;
    await waitFor('the messages of the other account to end', async () => (await countFailed(freeAccount)) === count);
    expect(await readBalance(test.deps, freeAccount.id)).toBe(RICH);
    await Promise.all(Array.from({ length: 3 * count }, () => send(freeAccount)));
    await waitFor(
      'later messages to be delivered',
      async () => ((await countStatuses(test.deps, freeAccount.id)).delivered ?? 0) === 3 * count,
    );
    expect(await countFailed(lockedAccount)).toBe(0);
    await waitFor('one connection to wait', async () => (await listBlocked()).length === 1);
    await holder.query('COMMIT');
    await waitFor('the messages of the held account to end', async () => (await countFailed(lockedAccount)) === count);
    expect(await readBalance(test.deps, lockedAccount.id)).toBe(START);
    const attempts = await test.deps.prisma.message.groupBy({
      by: ['attempts'],
      where: { accountId: lockedAccount.id },
    });
    expect(attempts.map((row) => row.attempts)).toEqual([1]);
  });
});
