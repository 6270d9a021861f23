import { describe, expect, it } from 'vitest';
import { correctCredit, createAccount, creditAccount, listAccounts } from '../../src/accounts/accounts.js';
import { parseMoney } from '../../src/accounts/money.js';
import { createRateCard } from '../../src/accounts/rates.js';
import { newId } from '../../src/platform/ids.js';
import { suiteStore } from '../support/for-suite.js';

const store = suiteStore();

describe('createAccount', () => {
  it('creates an account with a zero balance in the currency of the standard rate card', async () => {
    const account = await createAccount(store.prisma, { name: ' Acme ' });
    expect(account).toMatchObject({ name: 'Acme', currency: 'USD', rateCardId: 'standard', balanceMicros: 0n });
    expect(account.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('uses the currency of the given rate card and refuses any other', async () => {
    await createRateCard(store.prisma, {
      id: 'yen',
      currency: 'JPY',
      smsMicros: 5_000_000n,
      whatsappMicros: 3_000_000n,
    });
    expect(await createAccount(store.prisma, { name: 'Y', rateCardId: 'yen' })).toMatchObject({ currency: 'JPY' });
    await expect(createAccount(store.prisma, { name: 'Y', rateCardId: 'yen', currency: 'USD' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'currency must be JPY, the currency of the rate card yen',
    });
  });

  it('refuses an empty name and an unknown rate card', async () => {
    await expect(createAccount(store.prisma, { name: '  ' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(createAccount(store.prisma, { name: 'A', rateCardId: 'none' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'there is no rate card none',
    });
  });

  it('appends the account to the list, oldest first', async () => {
    const first = await createAccount(store.prisma, { name: 'First' });
    const second = await createAccount(store.prisma, { name: 'Second' });
    const ids = (await listAccounts(store.prisma)).map((account) => account.id);
    expect(ids.indexOf(second.id)).toBe(ids.indexOf(first.id) + 1);
  });
});

describe('creditAccount', () => {
  it('raises the balance, updates its time and writes one ledger entry', async () => {
    const before = await createAccount(store.prisma, { name: 'Credit' });
    const accountId = before.id;
    const first = await creditAccount(store.prisma, {
      accountId,
      amountMicros: parseMoney('12.34'),
      note: 'invoice 7',
    });
    const second = await creditAccount(store.prisma, { accountId, amountMicros: 1n });
    expect(first).toMatchObject({ currency: 'USD', amountMicros: 12_340_000n, balanceAfterMicros: 12_340_000n });
    expect(second.balanceAfterMicros).toBe(12_340_001n);

    const account = await store.prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    expect(account.balanceMicros).toBe(12_340_001n);
    expect(account.balanceChangedAt.getTime()).toBeGreaterThanOrEqual(before.balanceChangedAt.getTime());
    expect(await store.prisma.ledgerEntry.findMany({ where: { accountId }, orderBy: { id: 'asc' } })).toMatchObject([
      { id: first.ledgerEntryId, kind: 'credit', amountMicros: 12_340_000n, note: 'invoice 7', messageCount: 0 },
      { kind: 'credit', amountMicros: 1n, balanceAfterMicros: 12_340_001n, note: null },
    ]);
  });

  it('loses no amount when credits run concurrently', async () => {
    const { id: accountId } = await createAccount(store.prisma, { name: 'Many' });
    await Promise.all(
      Array.from({ length: 20 }, () => creditAccount(store.prisma, { accountId, amountMicros: 10_000n })),
    );
    const entries = await store.prisma.ledgerEntry.findMany({
      where: { accountId },
      orderBy: { balanceAfterMicros: 'asc' },
    });
    expect(entries.map((line) => line.balanceAfterMicros)).toEqual(
      Array.from({ length: 20 }, (_, index) => BigInt(index + 1) * 10_000n),
    );
  });

  it('refuses a zero or negative amount and an unknown or malformed account ID', async () => {
    const { id: accountId } = await createAccount(store.prisma, { name: 'Refusals' });
    for (const amountMicros of [0n, -1n]) {
      await expect(creditAccount(store.prisma, { accountId, amountMicros })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    }
    for (const unknownId of [newId(), 'x']) {
      await expect(creditAccount(store.prisma, { accountId: unknownId, amountMicros: 1n })).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: `there is no account ${unknownId}`,
      });
    }
    expect(await store.prisma.ledgerEntry.count({ where: { accountId } })).toBe(0);
  });
});

describe('correctCredit', () => {
  const createCreditedAccount = async (amount: string) => {
    const { id: accountId } = await createAccount(store.prisma, { name: 'Corrected' });
    await creditAccount(store.prisma, { accountId, amountMicros: parseMoney(amount) });
    return accountId;
  };
  const correctAccount = (accountId: string, amount: string) =>
    correctCredit(store.prisma, { accountId, amountMicros: parseMoney(amount), note: ' credited twice ' });
  const readAccountBalance = async (accountId: string) =>
    (await store.prisma.account.findUniqueOrThrow({ where: { id: accountId } })).balanceMicros;

  it('takes back part of a credit, then the rest down to zero', async () => {
    const accountId = await createCreditedAccount('5.00');
    const otherAccountId = await createCreditedAccount('5.00');
    expect(await correctAccount(accountId, '3.00')).toMatchObject({
      amountMicros: -3_000_000n,
      balanceAfterMicros: 2_000_000n,
    });
    expect(await correctAccount(accountId, '2.00')).toMatchObject({ balanceAfterMicros: 0n });
    expect([await readAccountBalance(accountId), await readAccountBalance(otherAccountId)]).toEqual([0n, 5_000_000n]);
    const entries = await store.prisma.ledgerEntry.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
    expect(entries.map(({ amountMicros, note }) => [amountMicros, note])).toEqual([
      [5_000_000n, null],
      [-3_000_000n, 'credited twice'],
      [-2_000_000n, 'credited twice'],
    ]);
  });

  it('refuses more than the balance, a zero amount and an empty note, and changes nothing', async () => {
    const accountId = await createCreditedAccount('5.00');
    await expect(correctAccount(accountId, '5.000001')).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'amount would lower the balance below zero; it is 5.00',
    });
    await expect(correctCredit(store.prisma, { accountId, amountMicros: 0n, note: 'x' })).rejects.toThrow('amount');
    await expect(correctCredit(store.prisma, { accountId, amountMicros: 1n, note: ' ' })).rejects.toThrow('note');
    expect(await readAccountBalance(accountId)).toBe(5_000_000n);
    expect(await store.prisma.ledgerEntry.count({ where: { accountId } })).toBe(1);
  });

  it('never takes more than the balance when corrections run concurrently', async () => {
    const accountId = await createCreditedAccount('5.00');
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => correctAccount(accountId, '1.00')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await readAccountBalance(accountId)).toBe(0n);
  });
});
